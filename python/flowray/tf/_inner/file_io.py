"""tensorflow.python.lib.io.file_io: tf.gfile by other names."""

import os as _os

from flowray.tf import gfile as _gfile

FileIO = FileIOBase = _gfile.GFile
file_exists = file_exists_v2 = _gfile.Exists
delete_file = delete_file_v2 = _gfile.Remove
get_matching_files = get_matching_files_v2 = _gfile.Glob
create_dir = create_dir_v2 = _gfile.MkDir
recursive_create_dir = recursive_create_dir_v2 = _gfile.MakeDirs
copy = copy_v2 = _gfile.Copy
rename = rename_v2 = _gfile.Rename
delete_recursively = delete_recursively_v2 = _gfile.DeleteRecursively
is_directory = is_directory_v2 = _gfile.IsDirectory
list_directory = list_directory_v2 = _gfile.ListDirectory
walk = walk_v2 = _gfile.Walk
stat = stat_v2 = _gfile.Stat


def read_file_to_string(filename, binary_mode=False):
    """All that is in the file, as text or as bytes."""
    with FileIO(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename, file_content):
    with FileIO(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename, contents, overwrite=True):
    """By way of another file, so that there is none in part."""
    if not overwrite and file_exists(filename):
        from flowray.tf.errors import AlreadyExistsError
        raise AlreadyExistsError(None, None, "%s already exists and overwrite is false" % filename)
    beside = "%s.tmp%d" % (filename, _os.getpid())
    write_string_to_file(beside, contents)
    rename(beside, filename, overwrite=True)


def get_file_size(filename):
    """The number of bytes."""
    return stat(filename).length
