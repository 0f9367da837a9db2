"""tensorflow.python.client.device_lib: the devices of this process."""

import collections as _collections

DeviceAttributes = _collections.namedtuple("DeviceAttributes", "name device_type memory_limit incarnation physical_device_desc")


def list_local_devices(session_config=None):
    """The processor, which is the only one."""
    return [DeviceAttributes("/device:CPU:0", "CPU", 256 << 20, 1, "")]
