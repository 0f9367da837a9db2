#include "wire/example.h"

#include <flowray/errors.h>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include <utility>

#include "wire/next_field.h"

namespace flowray::wire {
namespace {

using WireType = protozero::pbf_wire_type;

protozero::data_view data_of(std::string_view view) { return {view.data(), view.size()}; }

/// Runs `read`; bytes that protozero cannot read are not such a message.
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
      use(take_view(reader));
    } else {
      skip_field(reader);
    }
  }
}

Feature read_feature(std::string_view message) {
  Feature feature;
  protozero::pbf_reader reader(data_of(message));
  while (next_field(reader)) {
    if (reader.tag() < 1 || reader.tag() > 3 || reader.wire_type() != WireType::length_delimited) {
      skip_field(reader);
      continue;
    }
    feature.kind = static_cast<Feature::Kind>(reader.tag());
    feature.list = take_view(reader);
  }
  return feature;
}

void read_entry(std::string_view message, Features& features) {
  std::string_view key;
  std::string_view value;
  protozero::pbf_reader reader(data_of(message));
  while (next_field(reader)) {
    if (reader.wire_type() != WireType::length_delimited) {
      skip_field(reader);  // a field of another type than it should have is unknown, as in protobuf
    } else if (reader.tag() == 1) {
      key = take_view(reader);
    } else if (reader.tag() == 2) {
      value = take_view(reader);
    } else {
      skip_field(reader);
    }
  }
  features[key] = read_feature(value);
}

void read_features(std::string_view message, Features& features) {
  for_each_part(message, [&](std::string_view entry) { read_entry(entry, features); });
}

/// One field that has bytes.
std::string field_of(protozero::pbf_tag_type tag, std::string_view bytes) {
  std::string message;
  protozero::pbf_writer(message).add_bytes(tag, bytes.data(), bytes.size());
  return message;
}

}  // namespace

std::string written_feature(std::span<const std::string> values) {
  std::string list;
  protozero::pbf_writer writer(list);
  for (const std::string& value : values) writer.add_bytes(1, value);
  return field_of(1, list);
}

std::string written_feature(std::span<const float> values) {
  std::string list;
  protozero::pbf_writer(list).add_packed_float(1, values.begin(), values.end());
  return field_of(2, list);
}

std::string written_feature(std::span<const int64_t> values) {
  std::string list;
  protozero::pbf_writer(list).add_packed_int64(1, values.begin(), values.end());
  return field_of(3, list);
}

std::string written_example(const std::map<std::string, std::string>& features) {
  std::string all;
  protozero::pbf_writer writer(all);
  for (const auto& [name, feature] : features)
    writer.add_message(1, field_of(1, name) + field_of(2, feature));
  return field_of(1, all);
}

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
        skip_field(reader);
      } else if (reader.wire_type() == WireType::length_delimited) {
        for (const float value : reader.get_packed_float()) values.push_back(value);
      } else if (reader.wire_type() == WireType::fixed32) {
        values.push_back(reader.get_float());
      } else {
        skip_field(reader);
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
        skip_field(reader);
      } else if (reader.wire_type() == WireType::length_delimited) {
        for (const int64_t value : reader.get_packed_int64()) values.push_back(value);
      } else if (reader.wire_type() == WireType::varint) {
        values.push_back(reader.get_int64());
      } else {
        skip_field(reader);
      }
    }
    return values;
  });
}

}  // namespace flowray::wire
