"""tf.keras.layers.DenseFeatures: what feature columns make of features, as a layer."""

from flowray import _native
from flowray.tf import feature_column as _columns

Layer = _native.keras.Layer


class DenseFeatures(Layer):
    """One vector for each example: what its dense columns have, by the columns' names. Tables of embeddings are its weights."""

    def __init__(self, feature_columns, trainable=True, name=None, partitioner=None, **options):
        if partitioner is not None:
            raise NotImplementedError("DenseFeatures(partitioner=) is not there: tf.feature_column.input_layer in a variable_scope(partitioner=) "
                                      "makes tables of several parts")
        super().__init__(name=name, trainable=trainable, **options)
        self._feature_columns = sorted(_columns._checked_columns(feature_columns), key=lambda column: column.name)
        for column in self._feature_columns:
            if not isinstance(column, _columns._Dense):
                raise ValueError("Items of feature_columns must be a DenseColumn. You can wrap a categorical column with an embedding_column or "
                                 "indicator_column. Given: %s" % (column,))
        self._tables = {}

    def build(self, input_shape):
        for column in self._feature_columns:
            if isinstance(column, _columns.SharedEmbeddingColumn):
                raise NotImplementedError("DenseFeatures of shared embeddings is not there: tf.feature_column.input_layer takes them")
            if isinstance(column, _columns.EmbeddingColumn):
                self._tables[column] = self.add_weight(
                    name=column.name + "/embedding_weights", shape=[column.categorical_column.num_buckets, column.dimension], dtype="float32",
                    initializer=column.initializer, trainable=self.trainable and column.trainable)
        self.built = True

    def call(self, features):
        if not isinstance(features, dict):
            raise ValueError("We expected a dictionary here. Instead we got: ", features)
        made, parts = _columns._Features(features, self._tables), []
        for column in self._feature_columns:
            with _native.name_scope(column.name):
                parts.append(_columns._rows(column._dense_tensor(made, None, self.trainable), column))
        return _native.concat(parts, -1)

    def get_config(self):
        raise NotImplementedError("The config of DenseFeatures is not there yet: make the layer anew, and load its weights")
