// The ops of readers. Those of the first form take references to two strings, those of the second
// (V2) handles.

#include "files/decompress.h"
#include "files/file_contents.h"
#include "files/record.h"
#include "graph/graph.h"
#include "graph/kernel/blocking_call.h"
#include "graph/kernel/files_of_step.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/queues/reader.h"
#include "ops/queues/register.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;
using graph::Attrs;
using graph::BlockingCall;
using graph::OpTable;
using graph::ShapeContext;
using GiveUp = std::function<void()>;

// ---- what they read

class WholeFiles final : public RecordSource {
 public:
  explicit WholeFiles(const Attrs&) {}
  void begin(const std::string& work) override { work_ = work; }
  std::optional<Record> next() override {
    if (!work_) return std::nullopt;
    const std::string name = *std::exchange(work_, std::nullopt);
    return Record(name, files::read_file(name, files_));
  }

 private:
  const files::FileAccess files_ = graph::files_of_step();
  std::optional<std::string> work_;
};

/// The names themselves.
class Names final : public RecordSource {
 public:
  explicit Names(const Attrs&) {}
  void begin(const std::string& work) override { work_ = work; }
  std::optional<Record> next() override {
    if (!work_) return std::nullopt;
    const std::string name = *std::exchange(work_, std::nullopt);
    return Record(name, name);
  }

 private:
  std::optional<std::string> work_;
};

/// "file:LINE", from 1 on, and the line.
class Lines final : public RecordSource {
 public:
  explicit Lines(const Attrs& attrs) : header_(attrs.get<int64_t>("skip_header_lines")) {
    if (header_ < 0)
      throw InvalidArgumentError(fmt::format("skip_header_lines must be >= 0 not {}", header_));
  }
  void begin(const std::string& work) override {
    name_ = work;
    bytes_ = files::read_file(work, files_);
    left_ = bytes_;
    line_ = 0;
    while (line_ < header_ && !left_.empty()) (void)take();
  }
  std::optional<Record> next() override {
    if (left_.empty()) return std::nullopt;
    std::string line = take();
    return Record(fmt::format("{}:{}", name_, line_), std::move(line));
  }

 private:
  std::string take() {
    const size_t end = std::min(left_.find('\n'), left_.size());
    std::string line(left_.substr(0, end));
    std::erase(line, '\r');
    left_.remove_prefix(std::min(end + 1, left_.size()));
    ++line_;
    return line;
  }

  const files::FileAccess files_ = graph::files_of_step();
  const int64_t header_;
  std::string name_;
  std::string bytes_;
  std::string_view left_;
  int64_t line_ = 0;
};

/// "file:NUMBER", from 0 on, and so many bytes; each begins `hop_bytes` behind the one before.
class FixedLength final : public RecordSource {
 public:
  explicit FixedLength(const Attrs& attrs)
      : header_(attrs.get<int64_t>("header_bytes")),
        record_(attrs.get<int64_t>("record_bytes")),
        footer_(attrs.get<int64_t>("footer_bytes")),
        hop_(attrs.get<int64_t>("hop_bytes")) {
    if (const AttrPointer encoding = attrs.find("encoding")) encoding_ = encoding->get<std::string>();
    if (header_ < 0) throw InvalidArgumentError(fmt::format("header_bytes must be >= 0 not {}", header_));
    if (record_ < 1) throw InvalidArgumentError(fmt::format("record_bytes must be >= 1 not {}", record_));
    if (footer_ < 0) throw InvalidArgumentError(fmt::format("footer_bytes must be >= 0 not {}", footer_));
    if (hop_ < 0) throw InvalidArgumentError(fmt::format("hop_bytes must be >= 0 not {}", hop_));
    if (!encoding_.empty() && encoding_ != "ZLIB" && encoding_ != "GZIP") {
      throw InvalidArgumentError(fmt::format("encoding {} is not supported.", encoding_));
    }
    if (hop_ == 0) hop_ = record_;
  }
  void begin(const std::string& work) override {
    name_ = work;
    bytes_ = files::decompressed(files::read_file(work, files_), encoding_, files_.most_read_bytes());
    at_ = header_;
    number_ = 0;
  }
  std::optional<Record> next() override {
    const int64_t size = std::ssize(bytes_);
    if (footer_ > size || record_ > size - footer_ || at_ > size - footer_ - record_) return std::nullopt;
    Record record(fmt::format("{}:{}", name_, number_++),
                  bytes_.substr(static_cast<size_t>(at_), static_cast<size_t>(record_)));
    at_ = hop_ > size - at_ ? size : at_ + hop_;
    return record;
  }

 private:
  using AttrPointer = const graph::AttrValue*;
  const files::FileAccess files_ = graph::files_of_step();
  const int64_t header_;
  const int64_t record_;
  const int64_t footer_;
  int64_t hop_;
  std::string encoding_;
  std::string name_;
  std::string bytes_;
  int64_t at_ = 0;
  int64_t number_ = 0;
};

/// "file:OFFSET" and the record that begins there.
class Records final : public RecordSource {
 public:
  explicit Records(const Attrs& attrs) : compression_(attrs.get<std::string>("compression_type")) {
    if (!compression_.empty() && compression_ != "ZLIB" && compression_ != "GZIP") {
      throw InvalidArgumentError(fmt::format("Unsupported compression_type: {}", compression_));
    }
  }
  void begin(const std::string& work) override {
    name_ = work;
    bytes_ = files::decompressed(files::read_file(work, files_), compression_, files_.most_read_bytes());
    reader_.emplace(bytes_);
    offset_ = 0;
  }
  std::optional<Record> next() override {
    const auto record = reader_->next();
    if (!record) return std::nullopt;
    Record result(fmt::format("{}:{}", name_, offset_), std::string(*record));
    offset_ += record->size() + files::kRecordFrameBytes;
    return result;
  }

 private:
  const files::FileAccess files_ = graph::files_of_step();
  const std::string compression_;
  std::string name_;
  std::string bytes_;
  std::optional<files::RecordReader> reader_;
  size_t offset_ = 0;
};

template <class Source>
std::shared_ptr<graph::Resource> find_or_make_reader(graph::ResourceContext& context) {
  return context.find_or_make<Reader>([&](const std::string& name) {
    return std::make_shared<Reader>(name, std::make_unique<Source>(context.attrs()));
  });
}

// ---- using them

GiveUp read(BlockingCall& call, int64_t count, Reader::Done done) {
  auto& reader = call.resource<Reader>(0);
  auto& queue = call.resource<Queue>(1);
  if (queue.spec().dtypes != std::vector<DType>{DType::kString}) {
    throw InvalidArgumentError("Expected a queue with a single component of type string");
  }
  return reader.read(queue, count, std::move(done));
}

GiveUp start_read(BlockingCall& call) {
  return read(call, 1, [&call](Reader::Outcome outcome) {
    if (outcome.code != Code::kOk) return call.fail(outcome.code, std::move(outcome.text));
    call.done({Array(outcome.records[0].first), Array(outcome.records[0].second)});
  });
}

GiveUp start_read_up_to(BlockingCall& call) {
  const int64_t count = call.in(2).item<int64_t>();
  if (count <= 0) throw InvalidArgumentError(fmt::format("num_records must be positive, but is {}", count));
  return read(call, count, [&call](Reader::Outcome outcome) {
    if (outcome.code != Code::kOk) return call.fail(outcome.code, std::move(outcome.text));
    std::vector<std::string> keys;
    std::vector<std::string> values;
    for (Record& record : outcome.records) {
      keys.push_back(std::move(record.first));
      values.push_back(std::move(record.second));
    }
    call.done({Array(keys), Array(values)});
  });
}

GiveUp start_num_records(BlockingCall& call) {
  call.done({Array(call.resource<Reader>(0).num_records())});
  return {};
}

GiveUp start_num_finished(BlockingCall& call) {
  call.done({Array(call.resource<Reader>(0).num_finished())});
  return {};
}

GiveUp start_reset(BlockingCall& call) {
  call.resource<Reader>(0).reset();
  call.done();
  return {};
}

void vectors_shape(ShapeContext& context) {
  for (int i = 0; i < 2; ++i) context.set_output(i, Shape{Shape::kUnknownDim});
}

// ---- the ops: as of queues, those without V2 take references

constexpr graph::OpRow reader_row(std::string_view name, std::string_view attrs,
                                  graph::ResourceFunction resource) {
  return {.name = name,
          .outputs = "reader_handle:ref string",
          .attrs = attrs,
          .stateful = true,
          .shape = graph::reference_handle_shape,
          .not_differentiable = true,
          .resource = resource};
}

constexpr graph::OpRow reader_v2_row(std::string_view name, std::string_view attrs,
                                     graph::ResourceFunction resource) {
  return {.name = name,
          .outputs = "reader_handle:resource",
          .attrs = attrs,
          .stateful = true,
          .shape = graph::scalar_shape,
          .resource = resource};
}

constexpr graph::OpRow kReaderOps[] = {
    reader_row("WholeFileReader", "container:string=\"\"; shared_name:string=\"\"",
               find_or_make_reader<WholeFiles>),
    reader_v2_row("WholeFileReaderV2", "container:string=\"\"; shared_name:string=\"\"",
                  find_or_make_reader<WholeFiles>),
    reader_row("TextLineReader", "skip_header_lines:int=0; container:string=\"\"; shared_name:string=\"\"",
               find_or_make_reader<Lines>),
    reader_v2_row("TextLineReaderV2",
                  "skip_header_lines:int=0; container:string=\"\"; shared_name:string=\"\"",
                  find_or_make_reader<Lines>),
    reader_row("FixedLengthRecordReader",
               "header_bytes:int=0; record_bytes:int; footer_bytes:int=0; hop_bytes:int=0; "
               "container:string=\"\"; shared_name:string=\"\"",
               find_or_make_reader<FixedLength>),
    reader_v2_row("FixedLengthRecordReaderV2",
                  "header_bytes:int=0; record_bytes:int; footer_bytes:int=0; hop_bytes:int=0; "
                  "container:string=\"\"; shared_name:string=\"\"; encoding:string=\"\"",
                  find_or_make_reader<FixedLength>),
    reader_row("TFRecordReader",
               "container:string=\"\"; shared_name:string=\"\"; compression_type:string=\"\"",
               find_or_make_reader<Records>),
    reader_v2_row("TFRecordReaderV2",
                  "container:string=\"\"; shared_name:string=\"\"; compression_type:string=\"\"",
                  find_or_make_reader<Records>),
    reader_v2_row("IdentityReaderV2", "container:string=\"\"; shared_name:string=\"\"",
                  find_or_make_reader<Names>),
    {.name = "ReaderRead",
     .inputs = "reader_handle:ref string, queue_handle:ref string",
     .outputs = "key:string, value:string",
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .start = start_read},
    {.name = "ReaderReadV2",
     .inputs = "reader_handle:resource, queue_handle:resource",
     .outputs = "key:string, value:string",
     .stateful = true,
     .shape = graph::scalar_shape,
     .start = start_read},
    {.name = "ReaderReadUpToV2",
     .inputs = "reader_handle:resource, queue_handle:resource, num_records:int64",
     .outputs = "keys:string, values:string",
     .stateful = true,
     .shape = vectors_shape,
     .start = start_read_up_to},
    {.name = "ReaderNumRecordsProducedV2",
     .inputs = "reader_handle:resource",
     .outputs = "records_produced:int64",
     .stateful = true,
     .shape = graph::scalar_shape,
     .start = start_num_records},
    {.name = "ReaderNumWorkUnitsCompletedV2",
     .inputs = "reader_handle:resource",
     .outputs = "units_completed:int64",
     .stateful = true,
     .shape = graph::scalar_shape,
     .start = start_num_finished},
    {.name = "ReaderResetV2",
     .inputs = "reader_handle:resource",
     .stateful = true,
     .shape = graph::no_outputs,
     .start = start_reset},
};

}  // namespace

void register_reader_ops(OpTable& table) {
  for (const graph::OpRow& row : kReaderOps) table.add(row);
}

}  // namespace flowray::ops
