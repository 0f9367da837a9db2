#include "wire/example.h"

#include <flowray/errors.h>

#include <protozero/pbf_reader.hpp>

#include <utility>

#include "wire/next_field.h"

namespace flowray::wire {
namespace {

using WireType = protozero::pbf_wire_type;

std::string_view view_of(const protozero::data_view& data) { return {data.data(), data.size()}; }
protozero::data_view data_of(std::string_view view) { return {view.data(), view.size()}; }

/// Runs `read`; what protozero cannot read is no such message.
template <class Read>
auto guarded(Read read) {
  try {
    return read();
  } catch (const protozero::exception& error) {
    throw errors::DataLossError(error.what());
  }
}

/// Calls use() with each field 1 that has bytes.
template <class Use>
void for_each_part(std::string_view message, Use use) {
  protozero::pbf_reader reader(data_of(message));
  while (next_field(reader)) {
    if (reader.tag() == 1 && reader.wire_type() == WireType::length_delimited) {
      use(view_of(reader.get_view()));
    } else {
      reader.skip();
    }
  }
}

Feature read_feature(std::string_view message) {
  Feature feature;
  protozero::pbf_reader reader(data_of(message));
  while (next_field(reader)) {
    if (reader.tag() < 1 || reader.tag() > 3 || reader.wire_type() != WireType::length_delimited) {
      reader.skip();
      continue;
    }
    feature.kind = static_cast<Feature::Kind>(reader.tag());
    feature.list = view_of(reader.get_view());
  }
  return feature;
}

void read_entry(std::string_view message, Features& features) {
  std::string_view key;
  std::string_view value;
  protozero::pbf_reader reader(data_of(message));
  while (next_field(reader)) {
    if (reader.wire_type() != WireType::length_delimited) {
      reader.skip();  // a field of another type than it should have is unknown, as in protobuf
    } else if (reader.tag() == 1) {
      key = view_of(reader.get_view());
    } else if (reader.tag() == 2) {
      value = view_of(reader.get_view());
    } else {
      reader.skip();
    }
  }
  features[key] = read_feature(value);
}

void read_features(std::string_view message, Features& features) {
  for_each_part(message, [&](std::string_view entry) { read_entry(entry, features); });
}

}  // namespace

Features read_example(std::string_view message) {
  return guarded([&] {
    Features features;
    for_each_part(message, [&](std::string_view part) { read_features(part, features); });
    return features;
  });
}

std::vector<std::string_view> Feature::bytes() const {
  return guarded([&] {
    std::vector<std::string_view> values;
    for_each_part(list, [&](std::string_view value) { values.push_back(value); });
    return values;
  });
}

std::vector<float> Feature::floats() const {
  return guarded([&] {
    std::vector<float> values;
    protozero::pbf_reader reader(data_of(list));
    while (next_field(reader)) {
      if (reader.tag() != 1) {
        reader.skip();
      } else if (reader.wire_type() == WireType::length_delimited) {
        for (const float value : reader.get_packed_float()) values.push_back(value);
      } else if (reader.wire_type() == WireType::fixed32) {
        values.push_back(reader.get_float());
      } else {
        reader.skip();
      }
    }
    return values;
  });
}

std::vector<int64_t> Feature::integers() const {
  return guarded([&] {
    std::vector<int64_t> values;
    protozero::pbf_reader reader(data_of(list));
    while (next_field(reader)) {
      if (reader.tag() != 1) {
        reader.skip();
      } else if (reader.wire_type() == WireType::length_delimited) {
        for (const int64_t value : reader.get_packed_int64()) values.push_back(value);
      } else if (reader.wire_type() == WireType::varint) {
        values.push_back(reader.get_int64());
      } else {
        reader.skip();
      }
    }
    return values;
  });
}

}  // namespace flowray::wire
