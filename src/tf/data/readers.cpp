#include <flowray/tf/readers.h>

#include "tf/build/apply_op.h"

namespace flowray::tf {
namespace {

Tensor made_reader(const char* op, const std::string& name, const graph::Attrs& attrs, Input::Where where) {
  const ErrorLine errors(where);
  return apply_op({.op = op, .name = name, .attrs = attrs, .where = where});
}

}  // namespace

ReaderRecords ReaderBase::read(const QueueBase& queue, const NameOption& options, Input::Where where) const {
  const ErrorLine errors(where);
  graph::Node* const node = apply_op_node({.op = "ReaderReadV2",
                                           .name = options.name,
                                           .args = {Input(reader_, where), Input(queue.queue_ref(), where)}});
  return {Tensor(node, 0), Tensor(node, 1)};
}

ReaderRecords ReaderBase::read_up_to(const QueueBase& queue, const Input& num_records,
                                     const NameOption& options) const {
  const Input::Where where = num_records.where();
  const ErrorLine errors(where);
  graph::Node* const node =
      apply_op_node({.op = "ReaderReadUpToV2",
                     .name = options.name,
                     .args = {Input(reader_, where), Input(queue.queue_ref(), where), num_records}});
  return {Tensor(node, 0), Tensor(node, 1)};
}

Tensor ReaderBase::num_records_produced(const NameOption& options, Input::Where where) const {
  const ErrorLine errors(where);
  return apply_op(
      {.op = "ReaderNumRecordsProducedV2", .name = options.name, .args = {Input(reader_, where)}});
}

Tensor ReaderBase::num_work_units_completed(const NameOption& options, Input::Where where) const {
  const ErrorLine errors(where);
  return apply_op(
      {.op = "ReaderNumWorkUnitsCompletedV2", .name = options.name, .args = {Input(reader_, where)}});
}

Operation ReaderBase::reset(const NameOption& options, Input::Where where) const {
  const ErrorLine errors(where);
  return Operation(
      apply_op_node({.op = "ReaderResetV2", .name = options.name, .args = {Input(reader_, where)}}));
}

WholeFileReader::WholeFileReader(const NameOption& options, Input::Where where)
    : ReaderBase(made_reader("WholeFileReaderV2", options.name, {}, where)) {}

TextLineReader::TextLineReader(const TextLineReaderOptions& options, Input::Where where)
    : ReaderBase(made_reader("TextLineReaderV2", options.name,
                             {{"skip_header_lines", options.skip_header_lines}}, where)) {}

FixedLengthRecordReader::FixedLengthRecordReader(int64_t record_bytes,
                                                 const FixedLengthRecordReaderOptions& options,
                                                 Input::Where where)
    : ReaderBase(made_reader("FixedLengthRecordReaderV2", options.name,
                             {{"record_bytes", record_bytes},
                              {"header_bytes", options.header_bytes},
                              {"footer_bytes", options.footer_bytes},
                              {"hop_bytes", options.hop_bytes},
                              {"encoding", options.encoding}},
                             where)) {}

TFRecordReader::TFRecordReader(const TFRecordReaderOptions& options, Input::Where where)
    : ReaderBase(made_reader("TFRecordReaderV2", options.name,
                             {{"compression_type", options.compression_type}}, where)) {}

IdentityReader::IdentityReader(const NameOption& options, Input::Where where)
    : ReaderBase(made_reader("IdentityReaderV2", options.name, {}, where)) {}

}  // namespace flowray::tf
