"""Variables by the names of TensorFlow's classes."""

from flowray._native import Variable

RefVariable = VariableV1 = Variable
