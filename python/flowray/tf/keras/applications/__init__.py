"""tf.keras.applications: well-known architectures; without their weights, which would have to be downloaded."""

from flowray.tf.keras.applications import (densenet, imagenet_utils, inception_v3, mobilenet, mobilenet_v2, resnet, resnet50, vgg16, vgg19,
                                               xception)
from flowray.tf.keras.applications.densenet import DenseNet121, DenseNet169, DenseNet201
from flowray.tf.keras.applications.inception_v3 import InceptionV3
from flowray.tf.keras.applications.mobilenet import MobileNet
from flowray.tf.keras.applications.mobilenet_v2 import MobileNetV2
from flowray.tf.keras.applications.resnet import ResNet50, ResNet101, ResNet152
from flowray.tf.keras.applications.vgg16 import VGG16
from flowray.tf.keras.applications.vgg19 import VGG19
from flowray.tf.keras.applications.xception import Xception

__all__ = ["DenseNet121", "DenseNet169", "DenseNet201", "InceptionV3", "MobileNet", "MobileNetV2", "ResNet101", "ResNet152", "ResNet50", "VGG16", "VGG19",
           "Xception", "densenet", "imagenet_utils", "inception_v3", "mobilenet", "mobilenet_v2", "resnet", "resnet50", "vgg16", "vgg19", "xception"]
