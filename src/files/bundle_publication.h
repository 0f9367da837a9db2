#pragma once
/// A checkpoint is an index and the data files that it counts: PREFIX.index, PREFIX.data-00000-of-00002,
/// PREFIX.data-00001-of-00002. No system call replaces two files at once, and an index beside other data than
/// its own is not a checkpoint. But the names of the data files have their number in them, and the number
/// stands in the index: so data whose names say another number than the index does are unused, and replacing
/// the index, one rename, changes from one set of data to the other.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "files/bundle_index.h"
#include "files/file_access.h"

namespace flowray::files {

/// PREFIX.data-00002-of-00005.
std::string bundle_data_path(std::string_view prefix, int shard, int num_shards);
/// PREFIX.index.
std::string bundle_index_path(std::string_view prefix);

/// Makes `data`, one file for each shard, and an index of `entries` (without header) the checkpoint `prefix`.
/// The files must be on its file system and synchronised; they stay where they are too, unless that file
/// system has no hard links: there they are renamed.
///
/// Whatever stops it (the process is killed, the disk is full, the power fails), and after each of its steps,
/// TensorFlow and we find the checkpoint that stood there before or the new one, whole:
///
///     where no data of that number stand      where they do, here of 1
///     1. .data-00000-of-00001                 .data-00000-of-00002
///     2. .index counts 1                      .index counts 2, of which the second is not used
///     3.                                      .data-00000-of-00001, another name of the same file
///     4.                                      .index counts 1
///     5. the other data files go, if there was an index
///
/// with the folder synchronised after each of 1 to 4. Without hard links it ends after step 2: with a
/// checkpoint of which a shard is not used, until the next is written.
///
/// Throws the errors:: class of the system's error; nothing is left behind, and the older checkpoint stands
/// as it was where that was before the end of step 2.
void publish_bundle(const std::string& prefix, const std::vector<std::filesystem::path>& data,
                    BundleIndexEntries entries, const FileAccess& access);

}  // namespace flowray::files
