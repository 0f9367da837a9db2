"""Which of TensorFlow 1's names is which of the package's functions and classes. Each name stands here once: to offer it twice is an
error. Functions of the language and of single ops are in python/endpoints.tsv, as recorded from TensorFlow; !NAME is given to what stands
here instead of what is recorded, and any other name that both give to different things is an error when the package is built.

A line "NAMESPACE MODULE:" says where the names below it are in TensorFlow (tf: at its top), and which module has them. One that the module
calls otherwise is NAME=ITS_NAME. After "NAMESPACE MODULE: *" all public names of that native module are there as well, so that a function
that is bound there needs no line here; !NAME then marks one of them.
"""

from flowray import _native

TABLE = """
tf _accumulators:
    ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator
tf _conversions:
    assert_proper_iterable broadcast_static_shape convert_to_tensor_or_indexed_slices dimension_at_index dimension_value
    is_numeric_tensor is_symbolic_tensor register_tensor_conversion_function
tf _dtypes:
    QUANTIZED_DTYPES
tf _flow:
    case cond switch_case while_loop
tf _functions:
    Print cumprod cumsum lin_space=linspace linspace no_regularizer scatter_add scatter_sub scatter_update !unique
tf _eager:
    GradientTape disable_eager_execution enable_eager_execution enable_v2_behavior executing_eagerly
    function
tf _generated:
    !arg_max=ArgMax !arg_min=ArgMin
tf _graph_defs:
    !GraphDef
tf _gradients:
    NoGradient NotDifferentiable RegisterGradient custom_gradient grad_pass_through no_gradient
tf _image:
    extract_image_patches
tf _initializers:
    !constant_initializer !glorot_normal_initializer !glorot_uniform_initializer !ones_initializer orthogonal_initializer
    !random_normal_initializer !random_uniform_initializer !truncated_normal_initializer uniform_unit_scaling_initializer
    !variance_scaling_initializer !zeros_initializer
tf _language:
    ConfigProto !FIFOQueue GPUOptions GraphKeys GraphOptions InteractiveSession OptimizerOptions !PaddingFIFOQueue !PriorityQueue
    !QueueBase !RandomShuffleQueue RunOptions Session VERSION __version__ add_to_collection add_to_collections container device
    disable_v2_behavior initialize_all_tables=tables_initializer
    all_variables=global_variables get_collection get_collection_ref get_local_variable get_seed !global_variables !import_graph_def initialize_all_variables
    initialize_variables initializers is_tensor !local_variables model_variables moving_average_variables op_scope py_version
    tables_initializer !trainable_variables uninitialized_variables
tf _messages:
    AttrValue MetaGraphDef !NodeDef SummaryMetadata
    Event HistogramProto SessionLog Summary
tf _native:
    SparseTensor accumulate_n argsort assert_equal assert_greater
    assert_greater_equal assert_integer assert_less assert_less_equal assert_near assert_negative assert_non_negative
    assert_non_positive assert_none_equal assert_positive assert_rank assert_rank_at_least assert_rank_in assert_same_float_dtype
    assert_scalar assert_type assert_variables_initialized assign assign_add assign_sub batch_gather boolean_mask
    confusion_matrix count_nonzero !count_up_to create_partitioned_variables
    disable_resource_variables einsum fixed_size_partitioner
    enable_resource_variables eye gather_nd
    !histogram_fixed_width histogram_fixed_width_bins
    initialize_local_variables=local_variables_initializer is_non_decreasing is_strictly_increasing is_variable_initialized lbeta
    log_sigmoid meshgrid min_max_variable_partitioner mul=multiply neg=negative norm print random_crop random_gamma repeat report_uninitialized_variables
    resource_variables_enabled saturate_cast scalar_mul sequence_mask sort sparse_placeholder sub=subtract trace
    unsorted_segment_mean unsorted_segment_sqrt_n variable_axis_size_partitioner
tf _native.sparse:
    sparse_add=add sparse_concat=concat sparse_fill_empty_rows=fill_empty_rows sparse_maximum=maximum sparse_merge=merge
    sparse_minimum=minimum sparse_reduce_max=reduce_max sparse_reduce_max_sparse=reduce_max_sparse sparse_reduce_sum=reduce_sum
    sparse_reduce_sum_sparse=reduce_sum_sparse sparse_reorder=reorder sparse_reset_shape=reset_shape sparse_reshape=reshape
    sparse_retain=retain sparse_slice=slice sparse_softmax=softmax sparse_split=split
    sparse_tensor_dense_matmul=sparse_dense_matmul sparse_tensor_to_dense=to_dense sparse_to_indicator=to_indicator
    sparse_transpose=transpose
tf _native.train:
    gradients hessians
tf _parsing:
    FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature parse_example parse_single_example
tf _python_functions:
    numpy_function=py_func py_func py_function
tf _readers:
    FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader TextLineReader WholeFileReader decode_csv !decode_raw
tf _row_loops:
    foldl foldr map_fn scan vectorized_map
tf _ragged:
    RaggedTensor
ragged _ragged:
    RaggedTensorValue boolean_mask constant constant_value map_flat_values placeholder range=ragged_range row_splits_to_segment_ids
    segment_ids_to_row_splits stack
tf _space_to_batch:
    required_space_to_batch_paddings
tf _splitting:
    string_split
tf _sparse:
    SparseTensorSpec SparseTensorValue convert_to_tensor_or_sparse_tensor edit_distance sparse_mask
tf _sparse_components:
    deserialize_many_sparse serialize_many_sparse serialize_sparse
tf _specs:
    DeviceSpec TensorSpec
tf _switches:
    AggregationMethod COMPILER_VERSION CXX11_ABI_FLAG CXX_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER
    GRAPH_DEF_VERSION_MIN_PRODUCER MONOLITHIC_BUILD UnconnectedGradients VariableAggregation VariableSynchronization
    control_flow_v2_enabled disable_control_flow_v2 disable_tensor_equality disable_v2_tensorshape enable_control_flow_v2
    enable_tensor_equality enable_v2_tensorshape executing_eagerly_outside_functions
    get_logger init_scope
tf _templates:
    make_template
tf _tensor_protos:
    get_static_value make_ndarray make_tensor_proto
tf _variable_scopes:
    !get_variable !get_variable_scope variable_op_scope !variable_scope
tf errors:
    OpError
compat _conversions:
    dimension_at_index dimension_value
data _datasets:
    AUTOTUNE Dataset FixedLengthRecordDataset Iterator Options TFRecordDataset TextLineDataset get_output_classes get_output_shapes
    get_output_types make_initializable_iterator make_one_shot_iterator
data _elements:
    DatasetSpec
data _sequence_buckets:
    INFINITE_CARDINALITY UNKNOWN_CARDINALITY
data.experimental _sequence_buckets:
    Counter INFINITE_CARDINALITY UNKNOWN_CARDINALITY bucket_by_sequence_length parallel_interleave
data.experimental _iterator_states:
    CheckpointInputPipelineHook ExternalStatePolicy make_saveable_from_iterator
data.experimental _csv_datasets:
    CsvDataset make_csv_dataset
data.experimental _datasets:
    AUTOTUNE RandomDataset cardinality choose_from_datasets enumerate_dataset get_single_element group_by_window ignore_errors map_and_batch
    sample_from_datasets scan shuffle_and_repeat take_while unbatch unique
debugging _conversions:
    assert_proper_iterable is_numeric_tensor
debugging _native:
    assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal assert_near assert_negative
    assert_non_negative assert_non_positive assert_none_equal assert_positive assert_rank assert_rank_at_least assert_rank_in
    assert_same_float_dtype assert_scalar assert_type is_non_decreasing is_strictly_increasing
debugging _switches:
    disable_check_numerics disable_traceback_filtering enable_traceback_filtering get_log_device_placement
    is_traceback_filtering_enabled set_log_device_placement
distribute.cluster_resolver _cluster_resolver:
    ClusterResolver SimpleClusterResolver TFConfigClusterResolver UnionResolver
dtypes _dtypes:
    QUANTIZED_DTYPES
dtypes _native:
    saturate_cast
image _functions:
    is_jpeg
image _image:
    adjust_jpeg_quality combined_non_max_suppression crop_and_resize draw_bounding_boxes extract_image_patches
    extract_patches non_max_suppression_overlaps non_max_suppression_padded random_jpeg_quality sample_distorted_bounding_box
image _image_similarity:
    ssim ssim_multiscale
image _native:
    random_crop
image _native.image: *
    !non_max_suppression resize_image_with_crop_or_pad=resize_with_crop_or_pad resize_images=resize transpose_image=transpose
image _switches:
    ResizeMethod
io _functions:
    is_jpeg
io _language:
    write_graph
io _parsing:
    FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature parse_example parse_single_example
io _sparse_components:
    deserialize_many_sparse serialize_many_sparse serialize_sparse
io _readers:
    decode_csv !decode_raw
io _native.train:
    match_filenames_once
io _records:
    TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator
io.gfile gfile._IO:
    GFile copy exists get_registered_schemes glob isdir join listdir makedirs mkdir remove rename rmtree stat walk
layers _native.layers: *
layers _layers:
    AveragePooling1D AveragePooling2D AveragePooling3D BatchNormalization Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose Dense Dropout
    Flatten Layer MaxPooling1D MaxPooling2D MaxPooling3D SeparableConv1D SeparableConv2D
linalg _native:
    einsum eye norm trace
linalg _native.linalg: *
linalg _linear_operators:
    LinearOperator
linalg _matrix_operators:
    LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorIdentity LinearOperatorLowerTriangular LinearOperatorScaledIdentity LinearOperatorZeros
linalg _operator_algebra:
    LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular LinearOperatorComposition LinearOperatorInversion
    LinearOperatorKronecker LinearOperatorLowRankUpdate
linalg _patterned_operators:
    LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D LinearOperatorHouseholder LinearOperatorPermutation
    LinearOperatorToeplitz LinearOperatorTridiag
lookup _lookup:
    KeyValueTensorInitializer StaticHashTable StaticVocabularyTable TextFileIndex TextFileInitializer
lookup.experimental _lookup:
    MutableHashTable
losses _language:
    add_loss
losses _native.losses: *
manip _native:
    gather_nd
math _functions:
    cumprod cumsum erfcinv in_top_k polyval top_k
math _native:
    accumulate_n confusion_matrix count_nonzero is_non_decreasing is_strictly_increasing lbeta log_sigmoid scalar_mul
    unsorted_segment_mean unsorted_segment_sqrt_n
math _native.math: *
math _native.nn:
    zero_fraction
metrics _native.metrics: *
nest _nest:
    assert_same_structure flatten is_nested map_structure pack_sequence_as
nn _ctc_labels:
    collapse_repeated ctc_loss_v2 ctc_unique_labels
nn _loss_averages:
    compute_average_loss scale_regularization_loss
nn _functions:
    in_top_k !local_response_normalization=lrn !lrn top_k
nn _native.nn: *
    !conv3d !depthwise_conv2d_native
nn _sparse:
    ctc_beam_search_decoder ctc_beam_search_decoder_v2 ctc_greedy_decoder ctc_loss
nn _space_to_batch:
    with_space_to_batch
nn _raw_rnn:
    raw_rnn
nn _state_saving_rnn:
    static_state_saving_rnn
nn _rnn:
    bidirectional_dynamic_rnn dynamic_rnn static_bidirectional_rnn static_rnn
nn.rnn_cell _rnn:
    BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell LSTMStateTuple MultiRNNCell RNNCell ResidualWrapper
random _language:
    get_seed
random _native:
    gamma=random_gamma
random _stateless:
    stateless_normal stateless_truncated_normal stateless_uniform
sets _native.sets: *
    set_difference=difference set_intersection=intersection set_size=size set_union=union
signal _native.signal: *
sparse _accumulators:
    SparseConditionalAccumulator
sparse _native:
    SparseTensor placeholder=sparse_placeholder
sparse _native.sparse: *
    matmul=sparse_dense_matmul
sparse _sparse:
    bincount cross cross_hashed mask=sparse_mask
strings _splitting:
    split
summary _messages:
    Event SessionLog Summary
summary _native.summary: *
summary _session_run_hooks:
    FileWriterCache
train _checkpoint:
    Checkpoint CheckpointManager
train _checkpoint_files:
    CheckpointState checkpoints_iterator generate_checkpoint_state_proto get_checkpoint_mtimes !get_checkpoint_state remove_checkpoint
    update_checkpoint_state
train _coordinator:
    Coordinator LooperThread QueueRunner add_queue_runner start_queue_runners
train _functions:
    get_global_step
train _input_pipeline:
    batch batch_join input_producer maybe_batch maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join range_input_producer
    shuffle_batch shuffle_batch_join slice_input_producer string_input_producer
train _language:
    write_graph
train _messages:
    BytesList ClusterDef Example Feature FeatureList FeatureLists Features FloatList Int64List JobDef
    SaverDef SequenceExample ServerDef
train _monitored_session:
    ChiefSessionCreator MonitoredSession MonitoredTrainingSession Scaffold SessionCreator SingularMonitoredSession
    WorkerSessionCreator
train _native:
    NewCheckpointReader=CheckpointReader
train _native.train:
    AdadeltaOptimizer AdagradDAOptimizer ExponentialMovingAverage FtrlOptimizer ProximalAdagradOptimizer
    ProximalGradientDescentOptimizer assert_global_step cosine_decay cosine_decay_restarts
    create_global_step limit_epochs linear_cosine_decay match_filenames_once noisy_linear_cosine_decay
train _records:
    summary_iterator
train _session_run_hooks:
    CheckpointSaverHook CheckpointSaverListener FeedFnHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook
    NanLossDuringTrainingError NanTensorHook ProfilerHook SecondOrStepTimer SessionRunArgs SessionRunContext SessionRunHook
    SessionRunValues StepCounterHook StopAtStepHook SummarySaverHook
train _session_manager:
    SessionManager
train _sync_replicas:
    SyncReplicasOptimizer
train _train:
    !Saver Supervisor basic_train_loop export_meta_graph global_step import_meta_graph init_from_checkpoint list_variables
    load_checkpoint load_variable
train _warm_start:
    VocabInfo warm_start
train.queue_runner _coordinator:
    QueueRunner add_queue_runner start_queue_runners
version _switches:
    COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER
"""


def _public_names(module):
    value = _native
    for part in module.split(".")[1:]:
        value = getattr(value, part)
    return [name for name in dir(value) if not name.startswith("_")]


def entries(table=TABLE):
    """(endpoint, module, name in that module, how) of each row. `how`: "written", "star" where it comes from a star, or "instead" where !
    says that it stands instead of what is recorded. ValueError for an endpoint that is offered twice."""
    found = {}
    for line in table.strip().splitlines():
        if line.startswith(" "):
            items = line.split()
        else:
            head, _, star = line.partition(":")
            namespace, module = head.split()
            prefix = "" if namespace == "tf" else namespace + "."
            items = _public_names(module) if star.strip() == "*" else []
        for item in items:
            name, _, its_name = item.removeprefix("!").partition("=")
            endpoint = prefix + name
            entry = (endpoint, module, its_name or name)
            how = "instead" if item.startswith("!") else "written" if line.startswith(" ") else "star"
            marks_a_stars = how == "instead" and found.get(endpoint) == (*entry, "star")
            if endpoint in found and not marks_a_stars:
                raise ValueError("The endpoint tf.%s is offered twice" % endpoint)
            found[endpoint] = (*entry, how)
    return list(found.values())


def rows(table=TABLE):
    """(endpoint, module, name in that module) of each row. ValueError for an endpoint that is offered twice."""
    return [entry[:3] for entry in entries(table)]


def check_against(recorded, table=TABLE):
    """ValueError where the table and `recorded`, {endpoint: providers as "_native.nn.relu"}, give one name to different things and no !
    says so, where both give it to the same and no star does, and where a ! stands before what nothing else offers."""
    for endpoint, module, name, how in entries(table):
        others = recorded.get(endpoint, ())
        if how == "instead":
            if not others:
                raise ValueError("!%s in _endpoints.py: no row of endpoints.tsv offers tf.%s; take the ! out" % (name, endpoint))
        elif others and module + "." + name not in others:
            raise ValueError("The endpoint tf.%s is offered twice: by _endpoints.py as %s.%s, by endpoints.tsv as %s; write !%s where the "
                             "first is meant" % (endpoint, module, name, " and ".join(others), name))
        elif others and how == "written":
            raise ValueError("The endpoint tf.%s is offered twice: endpoints.tsv has it as %s, too; take it out of _endpoints.py" %
                             (endpoint, others[0]))
