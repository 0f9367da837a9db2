"""What TensorFlow has by several names, of which the others say where it is from."""

from flowray import _native
from flowray.tf import _functions, _language, _records, errors, gfile

ENDPOINTS = {"OpError": errors.OpError,
             "linalg.l2_normalize": _native.nn.l2_normalize, "manip.gather_nd": _functions.gather_nd}
for _name in ("TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"):
    ENDPOINTS["io." + _name] = getattr(_records, _name)
for _name, _value in gfile.IO_NAMES.items():
    ENDPOINTS["io.gfile." + _name] = _value
ENDPOINTS["random.get_seed"] = _language.get_seed
for _name in _native.dtype_names():
    ENDPOINTS["dtypes." + _name] = _native.as_dtype(_name)
ENDPOINTS["dtypes.half"], ENDPOINTS["dtypes.double"] = _native.as_dtype("float16"), _native.as_dtype("float64")
_QUANTIZED = [_native.as_dtype(name) for name in ("qint8", "quint8", "qint16", "quint16", "qint32")]
ENDPOINTS["QUANTIZED_DTYPES"] = ENDPOINTS["dtypes.QUANTIZED_DTYPES"] = frozenset(_QUANTIZED + [dtype._as_ref for dtype in _QUANTIZED])
