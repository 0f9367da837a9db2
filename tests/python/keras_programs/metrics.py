"""Metrics that are not means of their batches, and those of the program's classes."""

import numpy as np
import tensorflow.compat.v1 as tf

layers, metrics = tf.keras.layers, tf.keras.metrics
random = np.random.RandomState(7)
x = random.rand(50, 4).astype("float32")
y = (x.sum(axis=1) + random.rand(50) > 2.6).astype("float32")


class MostWrong(metrics.Metric):
    """The greatest difference that was seen."""

    def __init__(self, name="most_wrong", **options):
        super().__init__(name=name, **options)
        self.worst = self.add_weight(name="worst", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.worst.assign(tf.maximum(self.worst, tf.reduce_max(tf.abs(tf.cast(y_true, tf.float32) - y_pred))))

    def result(self):
        return self.worst * 1.0


def told(history):
    return {name: [round(float(value), 5) for value in values] for name, values in history.items()}


def model_of(*of_model):
    model = tf.keras.Sequential([layers.Dense(3, activation="tanh", input_shape=(4,), kernel_initializer=tf.keras.initializers.Constant(0.3)),
                                 layers.Dense(1, activation="sigmoid", kernel_initializer=tf.keras.initializers.Constant(-0.4))])
    model.compile(tf.keras.optimizers.SGD(0.5), "binary_crossentropy", metrics=list(of_model))
    return model


model = model_of(metrics.AUC(), metrics.Precision(), metrics.Recall(thresholds=0.4), MostWrong(), "accuracy")
print(model.metrics_names)
history = model.fit(x, y, batch_size=8, epochs=3, verbose=0, shuffle=False, validation_split=0.2)
print(told(history.history))
print([round(float(value), 5) for value in model.evaluate(x, y, batch_size=16, verbose=0)])
model.train_on_batch(x[:20], y[:20])
print([round(float(value), 5) for value in model.train_on_batch(x[:9], y[:9])])

model = model_of(metrics.AUC(curve="PR", name="pr"), metrics.AUC(num_thresholds=11, summation_method="majoring", name="some"),
                 metrics.AUC(curve="PR", summation_method="minoring", thresholds=[0.2, 0.5, 0.7], name="few"),
                 metrics.TruePositives(), metrics.FalsePositives(), metrics.TrueNegatives(), metrics.FalseNegatives(),
                 metrics.SensitivityAtSpecificity(0.6, num_thresholds=40, name="sensitivity"),
                 metrics.SpecificityAtSensitivity(0.6, num_thresholds=40, name="specificity"),
                 metrics.RootMeanSquaredError(), metrics.BinaryAccuracy(threshold=0.45))
print(model.metrics_names)
print(told(model.fit(x, y, batch_size=16, epochs=2, verbose=0, shuffle=False).history))

classes = random.randint(0, 3, 50)
many = tf.keras.Sequential([layers.Dense(3, activation="softmax", input_shape=(4,), kernel_initializer=tf.keras.initializers.Constant(0.1))])
many.compile("adam", "categorical_crossentropy", metrics=[metrics.Precision(top_k=2, name="top"), metrics.Recall(class_id=1, name="of_one"),
                                                          metrics.TopKCategoricalAccuracy(k=2, name="k"), metrics.AUC(name="area")])
print(told(many.fit(x, np.eye(3)[classes], batch_size=16, epochs=2, verbose=0, shuffle=False).history))


class Stream(tf.keras.utils.Sequence):
    def __len__(self):
        return 4

    def __getitem__(self, number):
        return x[number * 12:number * 12 + 12], y[number * 12:number * 12 + 12]


model = model_of(metrics.AUC(name="area"), MostWrong())
print(told(model.fit_generator(Stream(), epochs=2, verbose=0, shuffle=False).history))
print([round(float(value), 5) for value in model.evaluate_generator(Stream())])

for metric in (metrics.AUC(name="a"), metrics.Precision(0.3, name="p"), metrics.MeanIoU(3, name="m"), metrics.Mean(name="n")):
    print(type(metric).__name__, sorted(set(metric.get_config()) & {"name", "num_thresholds", "curve", "thresholds", "num_classes", "top_k"}),
          [variable.shape.as_list() for variable in metric.variables])
iou = metrics.MeanIoU(num_classes=3)
update = iou.update_state([0, 1, 2, 1, 0], [0, 2, 2, 1, 1])
value = iou.result()
mean = metrics.Mean()
added = mean.update_state([1.0, 3.0, 8.0], sample_weight=[1.0, 1.0, 0.5])
with tf.Session() as session:
    session.run([variable.initializer for metric in (iou, mean) for variable in metric.variables])
    session.run([update, added])
    print([round(float(one), 5) for one in session.run([value, mean.result()])])
for wrong in (lambda: metrics.AUC(curve="X"), lambda: metrics.Precision(2.0), lambda: metrics.AUC(num_thresholds=1),
              lambda: metrics.SensitivityAtSpecificity(2)):
    try:
        wrong()
    except ValueError as error:
        print(error)
