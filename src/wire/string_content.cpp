#include "wire/string_content.h"

#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>

#include <cstdint>
#include <vector>

namespace flowray::wire {

std::string string_content(std::span<const std::string> strings) {
  std::string content;
  for (const std::string& text : strings) protozero::add_varint_to_buffer(&content, text.size());
  for (const std::string& text : strings) content += text;
  return content;
}

std::string read_string_content(std::string_view content, std::span<std::string> out) {
  const char* next = content.data();
  const char* const end = next + content.size();
  std::vector<uint64_t> lengths(out.size());
  try {
    for (uint64_t& length : lengths) length = protozero::decode_varint(&next, end);
  } catch (const protozero::exception&) {
    return "The lengths of the strings are damaged.";
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (lengths[i] > static_cast<size_t>(end - next))
      return "The strings are shorter than their lengths say.";
    out[i].assign(next, static_cast<size_t>(lengths[i]));
    next += lengths[i];
  }
  return next == end ? "" : "There are more bytes than the lengths of the strings say.";
}

}  // namespace flowray::wire
