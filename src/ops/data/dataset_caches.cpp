// Datasets whose elements are kept when they have been seen once: in memory, or in a file.

#include "core/mutex.h"
#include "files/bundle_publication.h"
#include "files/bundle_reader.h"
#include "files/bundle_writer.h"
#include "files/file_contents.h"
#include "files/lock_file.h"
#include "files/stored_file.h"
#include "graph/graph.h"
#include "graph/kernel/files_of_step.h"
#include "graph/op_schema.h"
#include "graph/resource/resource.h"
#include "graph/resource/resource_value.h"
#include "graph/resource/variant_value.h"
#include "ops/data/dataset.h"
#include "ops/data/dataset_row.h"
#include "ops/data/register.h"
#include "ops/data/walk_state.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <exception>
#include <optional>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::OpTable;
using GiveUp = std::function<void()>;

// ---- in memory

using AllElements = std::shared_ptr<const std::vector<Element>>;

/// Elements that have all been seen once, for the walks that begin from then on.
class KeptElements {
 public:
  /// Null before the first walk has come to its end.
  AllElements all() {
    const MutexLock lock(mutex_);
    return all_;
  }
  /// The first walk that has seen all of them says which they are.
  void complete(std::vector<Element> elements) {
    const MutexLock lock(mutex_);
    if (all_ == nullptr) all_ = std::make_shared<const std::vector<Element>>(std::move(elements));
  }

  void keep(WalkState& state) {
    AllElements all = this->all();
    bool is_complete = all != nullptr;
    std::vector<Element> elements;
    if (is_complete && !state.is_read()) elements = *all;
    state.flag("is_complete", is_complete);
    state.elements("elements", elements);
    if (!state.is_read()) return;
    all = is_complete ? std::make_shared<const std::vector<Element>>(std::move(elements)) : nullptr;
    state.when_read([this, all] {
      const MutexLock lock(mutex_);
      all_ = all;
    });
  }

 private:
  Mutex mutex_;
  AllElements all_ FLOWRAY_GUARDED_BY(mutex_);
};

/// Where datasets of CacheDatasetV2 keep their elements, as a value in the graph.
class MemoryCache final : public graph::Resource {
 public:
  static constexpr std::string_view kKind = "tensorflow::data::MemoryCacheManager";

  /// Without a place it stands where a cache is asked for: the dataset keeps its elements itself.
  MemoryCache(std::string name, std::shared_ptr<KeptElements> kept)
      : Resource(std::move(name)), kept_(std::move(kept)) {}
  std::string_view kind() const override { return kKind; }
  const std::shared_ptr<KeptElements>& kept() const { return kept_; }

 private:
  const std::shared_ptr<KeptElements> kept_;
};

/// Another one's restore leaves it its elements.
struct MemoryCacheWalk {
  static constexpr std::string_view kKind = "MemoryCache";
  const IterationContext& context;
  DatasetInput cached;
  std::shared_ptr<KeptElements> kept;
  AllElements all;
  std::unique_ptr<DatasetIterator> input;  // null where there are all elements
  std::vector<Element> seen = {};
  size_t at = 0;

  bool next(Element& element) {
    if (input == nullptr) {
      if (all == nullptr || at >= all->size()) return false;
      element = (*all)[at++];
      return true;
    }
    if (input->next(element)) {
      seen.push_back(element);
      return true;
    }
    kept->complete(seen);
    return false;
  }
  void keep(WalkState& state) {
    state.elements("seen", seen);
    state.count("at", at, static_cast<size_t>(WalkState::kMost));
    state.walk("input", input, [this] { return cached->iterate(context); });
    if (state.is_read()) state.when_read([this] { all = kept->all(); });
  }
};

GiveUp start_memory_cache(BlockingCall& call, const std::shared_ptr<KeptElements>& kept) {
  const DatasetInput input(call.in(0));
  call.done({dataset_value(
      parts_of(call, input->cardinality()),
      [input, kept](const IterationContext& context) {
        AllElements all = kept->all();
        auto walk = all != nullptr ? nullptr : input->iterate(context);
        return make_iterator(MemoryCacheWalk{context, input, kept, std::move(all), std::move(walk)});
      },
      kept)});
  return {};
}

// ---- in a file

/// A cache on disk is a checkpoint (files/bundle_publication.h) with a tensor for each component of each
/// element, as TensorFlow's is: each reads the other's.
struct CacheFile {
  /// TensorFlow's names have room for so many.
  static constexpr int64_t kMostElements = 10'000'000;

  std::string prefix;
  size_t num_components = 0;
  files::FileAccess access = graph::files_of_step();  // of the step that makes the dataset

  bool is_whole() const { return access.exists(files::bundle_index_path(prefix)); }
  /// "      0_1": the numbers take as much room as the largest ones.
  std::string name(int64_t element, size_t component) const {
    const size_t width = std::to_string(num_components - 1).size();
    return fmt::format("{:>7}_{:>{}}", element, component, width);
  }
};

/// Who finds it leaves the cache alone. Throws errors::AlreadyExistsError where one writes already.
std::unique_ptr<files::LockFile> lock_of(const CacheFile& file) {
  const std::string path = file.prefix + "_0.lockfile";
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  try {
    return std::make_unique<files::LockFile>(path, fmt::format("Created at: {}", now.count()), file.access);
  } catch (const errors::AlreadyExistsError&) {
    std::string contents;
    try {
      const files::StoredFile stored(path, file.access);
      std::array<char, 150> begin{};
      contents.assign(begin.data(), stored.read(0, begin.data(), begin.size()));
    } catch (const errors::OpError&) {  // the other one is done by now, or it may not be read
    }
    throw errors::AlreadyExistsError(
        fmt::format("There appears to be a concurrent caching iterator running - cache lockfile already "
                    "exists ('{}'). If you are sure no other running TF computations are using this cache "
                    "prefix, delete the lockfile and re-initialize the iterator. Lockfile contents: {}",
                    path, contents));
  }
}

constexpr std::string_view kFileCache = "FileCache";  // what a walk writes another one may read later

/// Gives the elements of another walk and writes them. The file is there when all have been; of a walk that
/// ends before, or cannot write, nothing is left.
class WritingWalk final : public DatasetIterator {
 public:
  WritingWalk(CacheFile file, std::unique_ptr<DatasetIterator> walk)
      : file_(std::move(file)), walk_(std::move(walk)) {}

 private:
  bool advance(Element& element) override {
    if (is_over_) return false;
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    if (lock_ == nullptr) lock_ = lock_of(file_);
    if (!writer_.has_value()) begin();
    if (walk_->next(element)) {
      write([&] { add(element); });
      return true;
    }
    write([this] { writer_->finish(); });
    is_over_ = true;
    writer_.reset();
    lock_ = nullptr;
    return false;
  }

  void begin() {
    write([this] { writer_.emplace(file_.prefix, file_.access); });
  }

  void add(const Element& element) {
    if (at_ == CacheFile::kMostElements) {
      throw errors::InvalidArgumentError(fmt::format(
          "Upstream iterator is producing more than {} items, which is more than the cache limit.",
          CacheFile::kMostElements));
    }
    for (size_t i = 0; i < element.size(); ++i) {
      const DType dtype = element[i].dtype();
      if (dtype == DType::kVariant || dtype == DType::kResource) {
        throw errors::UnimplementedError(
            fmt::format("CacheDataset: component {} of the elements is of dtype {}, which is not written to "
                        "{}\nLeave the file's name out: such elements are kept in memory.",
                        i, dtype_name(dtype), file_.prefix));
      }
      writer_->add(file_.name(at_, i), element[i]);
    }
    ++at_;
  }

  /// What has failed once fails from then on: a cache without some of its elements would look whole.
  template <class Step>
  void write(const Step& step) {
    try {
      step();
    } catch (...) {
      failure_ = std::current_exception();
      writer_.reset();
      lock_ = nullptr;
      throw;
    }
  }

  std::string_view kind() const override { return kFileCache; }
  /// What has been written so far is gone with the walk, so in the middle there is no way to go on from.
  void keep(WalkState& state) override {
    if (!state.is_read() && !is_over_ && (at_ > 0 || writer_.has_value() || failure_ != nullptr)) {
      state.fail(
          fmt::format("it is writing the cache {}\nSave the iterator before its first element, or behind "
                      "the end of the first walk.",
                      file_.prefix));
    }
    int64_t at = at_;
    state.number("at", at, 0, CacheFile::kMostElements);
    state.flag("is_over", is_over_);
    if (is_over_) return;
    if (at > 0) {
      throw errors::NotFoundError(fmt::format(
          "{}.index\nThe saved iterator was reading this cache, which is not there any more.", file_.prefix));
    }
    state.walk("input", *walk_);
  }

  const CacheFile file_;
  std::unique_ptr<DatasetIterator> walk_;
  std::unique_ptr<files::LockFile> lock_;
  std::optional<files::BundleWriter> writer_;
  std::exception_ptr failure_;
  int64_t at_ = 0;
  bool is_over_ = false;
};

class ReadingWalk final : public DatasetIterator {
 public:
  explicit ReadingWalk(CacheFile file) : file_(std::move(file)) {}

 private:
  bool advance(Element& element) override {
    if (reader_ == nullptr) open();
    if (at_ == num_elements_) return false;
    const int64_t now = at_++;  // one that is damaged is passed
    element.clear();
    for (size_t i = 0; i < file_.num_components; ++i) element.push_back(reader_->read(file_.name(now, i)));
    return true;
  }

  void open() {
    auto reader = std::make_unique<files::BundleReader>(file_.prefix, file_.access);
    const int64_t num_tensors = reader->num_names();
    const auto num_components = static_cast<int64_t>(file_.num_components);
    if (num_tensors % num_components != 0) {
      throw errors::InvalidArgumentError(fmt::format(
          "The cache {} has {} tensors, which do not make up elements of {} components\nIt is of another "
          "dataset: remove it, or name another file.",
          file_.prefix, num_tensors, file_.num_components));
    }
    num_elements_ = num_tensors / num_components;
    reader_ = std::move(reader);
  }

  std::string_view kind() const override { return kFileCache; }
  void keep(WalkState& state) override {
    if (reader_ == nullptr) open();
    bool is_over = at_ == num_elements_;
    state.number("at", at_, 0, num_elements_);
    state.flag("is_over", is_over);
    if (is_over) at_ = num_elements_;
  }

  const CacheFile file_;
  std::unique_ptr<files::BundleReader> reader_;
  int64_t num_elements_ = 0;
  int64_t at_ = 0;
};

GiveUp start_file_cache(BlockingCall& call, const std::string& filename) {
  const DatasetInput input(call.in(0));
  const CacheFile file{.prefix = files::local_path(filename),
                       .num_components = call.attrs().get<std::vector<DType>>("output_types").size()};
  call.done(
      {dataset_value(parts_of(call, input->cardinality()), [input, file](const IterationContext& context) {
        if (file.is_whole()) return std::unique_ptr<DatasetIterator>(new ReadingWalk(file));
        return std::unique_ptr<DatasetIterator>(new WritingWalk(file, input->iterate(context)));
      })});
  return {};
}

// ---- the ops

GiveUp start_cache_in(BlockingCall& call, const std::shared_ptr<KeptElements>& kept) {
  const auto filename = scalar_argument<std::string>(call, 1, "filename");
  if (!filename.empty()) return start_file_cache(call, filename);
  return start_memory_cache(call, kept != nullptr ? kept : std::make_shared<KeptElements>());
}

GiveUp start_cache(BlockingCall& call) { return start_cache_in(call, nullptr); }

GiveUp start_cache_v2(BlockingCall& call) {
  return start_cache_in(call, call.resource<MemoryCache>(2).kept());
}

std::shared_ptr<graph::Resource> make_dummy_memory_cache(graph::ResourceContext& context) {
  return context.find_or_make_own<MemoryCache>(
      [](const std::string& name) { return std::make_shared<MemoryCache>(name, nullptr); });
}

GiveUp start_anonymous_memory_cache(BlockingCall& call) {
  // It ends with the last that keeps it: there is nothing that its deleter had to do.
  auto cache = std::make_shared<MemoryCache>(call.node().name(), std::make_shared<KeptElements>());
  call.done({graph::resource_value(std::move(cache)), graph::empty_variant()});
  return {};
}

constexpr graph::OpRow cache_v2_row() {
  graph::OpRow row = dataset("CacheDatasetV2", "input_dataset:variant, filename:string, cache:resource",
                             "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"",
                             start_cache_v2);
  row.stateful = true;
  return row;
}

constexpr graph::OpRow kDatasetCacheOps[] = {
    dataset("CacheDataset", "input_dataset:variant, filename:string",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"", start_cache),
    cache_v2_row(),
    {.name = "DummyMemoryCache",
     .outputs = "handle:resource",
     .stateful = true,
     .shape = graph::scalar_shape,
     .resource = make_dummy_memory_cache},
    {.name = "AnonymousMemoryCache",
     .outputs = "handle:resource, deleter:variant",
     .stateful = true,
     .shape = graph::scalar_shape,
     .start = start_anonymous_memory_cache},
};

}  // namespace

void register_dataset_cache_ops(OpTable& table) {
  for (const graph::OpRow& row : kDatasetCacheOps) table.add(row);
}

}  // namespace flowray::ops
