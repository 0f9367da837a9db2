"""Where the TensorFlow programs lie in the documents that this project comes from, and what they print.

A document is found by its first lines. `lines` are ranges (first, last) of its lines, joined in order: a notebook's later cells
go on with the names of earlier ones; each range loses the indentation that all of its lines have. `prelude` stands before them
where a cell uses names that the document defines elsewhere, `then` behind them to show what they have computed, `without` is a text
that a page's markup has left in the code, `replaced` are pairs (text, other text). `prints` is a regular expression for the whole output, `fails` one for the error at the end.
"""

from pathlib import Path

SHARED = Path(__file__).resolve().parents[4] / "shared"

SCOPES = "第4章　TensorFlow编程基础"
AVERAGING = "本篇主要介绍在Ray上使用tensorflow的最佳方法"
BEST_PRACTICES = "Best Practices: Ray with Tensorflow"
LENET_ACTOR = "Ray是一种针对AI应用的分布式框架"
DISTRIBUTED = "title: TensorFlow 基本使用與分散式概念"

VARIABLE_NAMES = "var1: firstvar:0\nvar1: firstvar_1:0\nvar2: Variable:0\nvar1: Variable_1:0\n"
NAMES_AND_VALUES = VARIABLE_NAMES + "var1= 2.0\nvar2= 4.0\n"
SAME_GRAPH_TWICE = r"<[\w.]*Graph object at (0x\w+)>\n<[\w.]*Graph object at \1>\n<[\w.]*Graph object at (?!\1)(0x\w+)>\n" \
                   r"<[\w.]*Graph object at \2>\n<[\w.]*Graph object at (?!\1|\2)0x\w+>\n"
ALL_DIFFERENT = r"<[\w.]*Graph object at (0x\w+)>\n<[\w.]*Graph object at (?!\1)(0x\w+)>\n" \
                r"<[\w.]*Graph object at (?!\1|\2)(0x\w+)>\n<[\w.]*Graph object at \3>\n<[\w.]*Graph object at (?!\1|\2|\3)0x\w+>\n"
NUMBER = r"-?[\d.]+(e-?\d+)?"
REGRESSION = (rf"(Epoch: \d+ cost= {NUMBER} W= \[\s*{NUMBER}\] b= \[\s*{NUMBER}\]\n){{10}} Finished\n"
              rf"cost= {NUMBER} W= \[(1\.[789]|2\.[012])\d*\] b= \[\s*{NUMBER}\]\nx=0\.2, z= \[0\.[2-6]\d*\]\n")

# w = 0.1 and b = 0.3 to four digits, after 11 lines on the way there.
_CONVERGING = "".join(rf"Iteration {20 * i}: weights are \{{'Variable': array\(\[{NUMBER}\], dtype=float32\), "
                      rf"'Variable_1': array\(\[{NUMBER}\], dtype=float32\)\}}\n" for i in range(10))
CONVERGED = _CONVERGING + r"Iteration 200: weights are \{'Variable': array\(\[0\.(0999|1000)\d*\], dtype=float32\), " \
                          r"'Variable_1': array\(\[0\.(2999|300)\d*\], dtype=float32\)\}\n"
LENET_STEPS = r"\((Model|Model\.\w+) pid=\d+\) step:\d+, the ac is [01]\.\d+\n"
FASHION_MNIST = r"(.*RuntimeWarning: '\./ministdata/' has none of MNIST's files.*\n.*\n.*\n)?"
LENET_ACCURACY = r"Accuracy in the test set is 0\.\d+\.\n"
NO_VARIABLES_MATCH = r"AssertionError: No variables in the input matched those in the network\. Possible cause: Two networks were " \
                     r"defined in the same TensorFlow graph\. To fix this, place each network definition in its own tf\.Graph\."

PROGRAMS = {
    # A step of 0.5 from b = 0 with x = 1 and y = 2: w - (w + b - 2) = 2.
    "weights_and_gradients_of_a_network": dict(
        document=AVERAGING, lines=[(7, 23), (29, 35), (42, 47), (165, 167), (174, 177)],
        then="print(sorted(weights), variables.get_weights()['Variable'])\n", prints=r"\['Variable', 'Variable_1'\] \[(2\.|2\.0000|1\.9999)\d*\]\n"),
    "gradients_fed_as_the_best_practices_say": dict(
        document=AVERAGING, lines=[(7, 23)],
        more=dict(document=BEST_PRACTICES, lines=[(239, 240), (251, 251), (112, 114), (123, 126), (253, 253)]),
        then="print(sorted(weights), weights['Variable'])\n", prints=r"\['Variable', 'Variable_1'\] \[(2\.|2\.0000|1\.9999)\d*\]\n"),
    "assignments_that_add_nodes": dict(document=AVERAGING, lines=[(7, 23), (53, 54)], prints=""),
    "weights_averaged_over_actors": dict(document=AVERAGING, lines=[(61, 154)], prints=CONVERGED),
    "gradients_averaged_over_actors": dict(document=AVERAGING, lines=[(184, 278)], prints=CONVERGED),
    "two_networks_in_one_graph": dict(document=AVERAGING, lines=[(288, 305), (311, 313)], prints="", fails=NO_VARIABLES_MATCH),
    "two_networks_with_a_graph_each": dict(
        document=AVERAGING, lines=[(288, 305), (318, 322)], then="print(a.get_weights(), b.get_weights())\n",
        prints=r"(\{'Variable': (np\.int32\()?1\)?, 'Variable_1': (np\.int32\()?1\)?\}[ \n]){2}"),
    "the_appendix": dict(
        document=AVERAGING, lines=[(380, 580), (7, 23)], without="[docs]", prelude="import numpy\nnumpy.int = int\n",
        then="sess.run(init)\nvariables = TensorFlowVariables(loss, sess)\nvariables.set_flat(np.array([0.25, 0.5]))\n"
             "print(variables.get_flat_size(), variables.get_weights(), variables.get_flat())\n",
        prints=r"2 \{'Variable': array\(\[0\.25\], dtype=float32\), 'Variable_1': array\(\[0\.5\], dtype=float32\)\} "
               r"\[0\.25 0\.5 \]\n"),
    "gradients_averaged_as_the_best_practices_say": dict(document=BEST_PRACTICES, lines=[(134, 229)], prints=CONVERGED),
    "weights_as_the_best_practices_say": dict(
        document=AVERAGING, lines=[(7, 23)], more=dict(document=BEST_PRACTICES, lines=[(239, 240), (250, 255), (263, 264)]),
        then="print(sorted(weights))\n", prints=r"\['Variable', 'Variable_1'\]\n"),
    "two_networks_as_the_best_practices_say": dict(
        document=BEST_PRACTICES, lines=[(283, 300), (306, 308)], prints="", fails=NO_VARIABLES_MATCH),
    "two_networks_with_a_graph_each_as_the_best_practices_say": dict(
        document=BEST_PRACTICES, lines=[(283, 300), (315, 319)], then="print(a.get_weights(), b.get_weights())\n",
        prints=r"(\{'Variable': (np\.int32\()?1\)?, 'Variable_1': (np\.int32\()?1\)?\}[ \n]){2}"),
    "keras_model_in_an_actor": dict(
        document=BEST_PRACTICES, lines=[(23, 38), (44, 76)],
        warns=r"flowray: 'Network\.__init__' asks for a GPU, and this machine has none: .*\n",
        then="print(sorted(ray.get(result_object_id).history), [w.shape for w in ray.get(NetworkActor.get_weights.remote())])\n",
        prints=r"(.*\n)*\['categorical_accuracy', 'loss'\] \[\(32, 64\), \(64,\), \(64, 64\), \(64,\), \(64, 10\), \(10,\)\]\n(.*\n)*"),
    "lenet_in_an_actor": dict(
        document=LENET_ACTOR, lines=[(20, 89)], warns=FASHION_MNIST,
        prints=rf"({LENET_STEPS})*{LENET_ACCURACY}({LENET_STEPS})*", seconds=300),
    "lenet_in_an_actor_that_asks_for_a_gpu": dict(
        document=LENET_ACTOR, lines=[(20, 89)], replaced=[("@ray.remote", "@ray.remote(num_gpus=1)"), ("train.remote(2000)", "train.remote(60)")],
        then="print(ray.cluster_resources()['GPU'], ray.available_resources().get('GPU', 0))\n", warns=FASHION_MNIST,
        prints=rf"({LENET_STEPS})*{LENET_ACCURACY}1\.0 0\n({LENET_STEPS})*"),
    "get_variable_and_variable": dict(document=SCOPES, lines=[(50, 65)], prints=NAMES_AND_VALUES),
    "get_variable_twice": dict(
        document=SCOPES, lines=[(50, 65), (86, 106)],
        prints=NAMES_AND_VALUES + "var1: firstvar_2:0\nvar1: firstvar_3:0\nvar2: Variable_2:0\nvar1: Variable_3:0\n"
        "var1= 2.0\nvar2= 4.0\nget_var1: firstvar_4:0\n",
        fails=r"ValueError: Variable firstvar already exists, disallowed\. Did you mean to set reuse=True or "
              r"reuse=tf\.AUTO_REUSE in VarScope\? Originally defined at:\n\n  File \".*\", line \d+"),
    "get_variable_by_another_name": dict(
        document=SCOPES, lines=[(132, 152)],
        prints=VARIABLE_NAMES + r"get_var1: firstvar_2:0\nget_var1: firstvar1:0\nget_var1= \[0\.4\]\n"),
    "scopes_side_by_side": dict(document=SCOPES, lines=[(178, 187)], prints="var1: test1/firstvar:0\nvar2: test2/firstvar:0\n"),
    "scopes_nested_and_reused": dict(
        document=SCOPES, lines=[(200, 209), (226, 234)],
        prints="var1: test1/firstvar:0\nvar2: test1/test2/firstvar:0\nvar3: test1/firstvar:0\nvar4: test1/test2/firstvar:0\n"),
    "initializers_of_scopes": dict(
        document=SCOPES, lines=[(258, 272)], prints=r"var1= \[0\.4 0\.4\]\nvar2= \[0\.4 0\.4\]\nvar3= \[0\.3 0\.3\]\n"),
    "scopes_entered_again": dict(
        document=SCOPES, lines=[(304, 321), (339, 345)],
        prints="sp: scope1\nvar1: scope1/v:0\nsp1: scope1\nvar2: scope2/v:0\nvar3: scope1/v3:0\nv: scope/v:0\nx.op: scope/bar/add\n"),
    "a_scope_without_name": dict(document=SCOPES, lines=[(364, 380)], prints="var4: scope1//v4:0\n"),
    "back_to_the_root": dict(document=SCOPES, lines=[(388, 408)], prints="y.op: add\n"),
    "graphs_and_their_elements": dict(
        document=SCOPES, lines=[(432, 449), (473, 476), (493, 510), (555, 557), (569, 571)],
        prints=SAME_GRAPH_TWICE + r"""Const:0
Tensor\("Const:0", shape=\(\), dtype=float32\)
exampleop:0 Tensor\("exampleop:0", shape=\(1, 1\), dtype=float32\)
Tensor\("exampleop:0", shape=\(1, 1\), dtype=float32\)
exampleop
name: "exampleop"
op: "MatMul"
input: "Const"
input: "Const_1"
(attr \{
  key: "\w+"
  value \{
    (b|type): \w+
  \}
\}
)+
\[\[7\.\]\]
Tensor\("exampleop:0", shape=\(1, 1\), dtype=float32\)
\[<tf\.Operation 'Const' type=Const>\]
Tensor\("Const:0", shape=\(\), dtype=float32\)
"""),
    "the_default_graph": dict(document=SCOPES, lines=[(585, 602)], prints=ALL_DIFFERENT),
    "eager_execution": dict(
        document=SCOPES, lines=[(1067, 1068)], then="import tensorflow as tf\nprint(tf.matmul([[1., 2.]], [[3.], [4.]]))\n",
        prints=r"tf\.Tensor\(\[\[11\.\]\], shape=\(1, 1\), dtype=float32\)\n"),
    "a_server_and_linear_regression": dict(document=SCOPES, lines=[(660, 736)], prints=REGRESSION, files=["log/mnist_with_summaries"]),
    "a_server_that_waits": dict(
        document=SCOPES, lines=[(660, 676), (763, 766)], prints=r"waiting\.\.\.\.\n", ends_after="waiting...."),
    "a_worker_and_linear_regression": dict(
        document=SCOPES, lines=[(887, 954)], prelude='strps_hosts="localhost:1681"\nstrworker_hosts="localhost:1682,localhost:1683"\n',
        prints=REGRESSION),
    "a_second_worker": dict(
        document=SCOPES, lines=[(957, 1025)], prelude='strps_hosts="localhost:1681"\nstrworker_hosts="localhost:1682,localhost:1683"\n',
        prints=REGRESSION),
    "sums_of_constants": dict(document=DISTRIBUTED, lines=[(50, 63)], python2=True, prints="9\n"),
    "two_graphs": dict(
        document=DISTRIBUTED, lines=[(71, 112)], python2=True,
        prints=r"\[ ?2\.25 +19\.2\d* *\]\n\[\[5\. 1\.\]\n \[4\. 2\.\]\]\n\[-2\. -1\.\]\n", files=["basic_tmp"]),
    "a_counter": dict(document=DISTRIBUTED, lines=[(121, 142)], python2=True, prints="0\n1\n2\n3\n"),
    "two_fetches": dict(document=DISTRIBUTED, lines=[(148, 160)], python2=True, prints=r"\[(np\.float32\()?21\.0\)?, (np\.float32\()?7\.0\)?\]\n"),
    "a_feed_and_a_missing_one": dict(
        document=DISTRIBUTED, lines=[(165, 175)], python2=True, prints=r"\[array\(\[14\.\], dtype=float32\)\]\n",
        fails="InvalidArgumentError: You must feed a value for placeholder tensor 'Placeholder' with dtype float"),
    "a_server_of_one_worker": dict(document=DISTRIBUTED, lines=[(252, 260)], prints="", ends_after=None),
    "a_device_setter": dict(document=DISTRIBUTED, lines=[(381, 381)], prelude="import tensorflow as tf\n", prints=""),
    "a_graph_for_tensorboard": dict(document=DISTRIBUTED, lines=[(401, 422)], prints=r"\[ *4\.875 +126\.45\d*\]\n", files=["tmp/1"]),
}

# Lines that stand where programs do: those of a shell, `from __future__` of the appendix, which would have to stand before the prelude, and
# those that cluster_programs_test.py runs, in several processes.
OTHER_LINES = {LENET_ACTOR: [(12, 12)], AVERAGING: [(377, 379)], DISTRIBUTED: [(274, 294), (299, 300), (306, 377)]}


def lines_of(title):
    """The lines of the document with that title, or None."""
    for path in sorted(SHARED.glob("*/*.txt")):
        text = path.read_text(encoding="utf-8")
        if title in text[:300]:
            return text.splitlines()
    return None
