// Strings: joined, cut, changed, and numbers as strings and back.

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/text/letter_case.h"
#include "ops/text/register.h"
#include "ops/text/value_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <complex>
#include <cstdio>
#include <functional>

namespace flowray::ops {

using graph::Attrs;
using graph::DynamicCall;
using graph::OpTable;
using graph::ShapeContext;

namespace {

// ---- joining

/// Scalars go with any shape; the others have one.
void string_join_shape(ShapeContext& context) {
  Shape shape;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Shape& input = context.input(i);
    if (!input.has_rank()) return context.set_output(0, Shape::unknown_rank());
    if (input.rank() == 0) continue;
    if (shape.rank() == 0) shape = input;
    if (shape.rank() != input.rank()) {
      ShapeContext::fail(
          fmt::format("Shapes must be equal rank, but are {} and {}", shape.rank(), input.rank()));
    }
    if (!shape.is_compatible_with(input)) {
      ShapeContext::fail(
          fmt::format("Shapes must be equal, but are {} and {}", shape.to_string(), input.to_string()));
    }
  }
  context.set_output(0, shape);
}

Shape common_shape(const DynamicCall& call) {
  Shape shape;
  for (int i = 0; i < call.num_inputs(); ++i) {
    const Shape& input = call.in(i).shape();
    if (input.rank() == 0) continue;
    if (shape.rank() == 0) shape = input;
    if (!(shape == input)) {
      throw errors::InvalidArgumentError(
          fmt::format("Input shapes do not match: {} vs. {}", shape.to_string(), input.to_string()));
    }
  }
  return shape;
}

void string_join(DynamicCall& call) {
  const auto& separator = call.attrs().get<std::string>("separator");
  Array output(DType::kString, common_shape(call));
  auto* out = output.mutable_data<std::string>();
  for (int64_t k = 0; k < output.size(); ++k) {
    for (int i = 0; i < call.num_inputs(); ++i) {
      if (i > 0) out[k] += separator;
      out[k] += call.in(i).data<std::string>()[call.in(i).rank() == 0 ? 0 : k];
    }
  }
  call.set_out(0, std::move(output));
}

/// The template with a value in place of each placeholder.
void string_format(DynamicCall& call) {
  const auto& placeholder = call.attrs().get<std::string>("placeholder");
  const auto& text = call.attrs().get<std::string>("template");
  const int ends = checked_int32("Attr summarize", call.attrs().get<int64_t>("summarize"));
  std::string out;
  size_t begin = 0;
  for (int i = 0; i < call.num_inputs(); ++i) {
    const size_t found = text.find(placeholder, begin);
    if (placeholder.empty() || found == std::string::npos) {
      throw errors::InvalidArgumentError(fmt::format(
          "num placeholders in template and num inputs must match: {} vs. {}", i, call.num_inputs()));
    }
    out += text.substr(begin, found - begin) + value_text(call.in(i), ends);
    begin = found + placeholder.size();
  }
  call.set_out(0, Array(out + text.substr(begin)));
}

// ---- numbers

/// printf's format for a dtype.
struct NumberForm {
  std::string format;

  NumberForm(const Attrs& attrs, DType dtype) {
    const auto precision = attrs.get<int64_t>("precision");
    const auto width = attrs.get<int64_t>("width");
    const bool scientific = attrs.get<bool>("scientific");
    const bool shortest = attrs.get<bool>("shortest");
    const auto& fill = attrs.get<std::string>("fill");
    const bool is_real = is_floating(dtype) || is_complex(dtype);
    if (!is_real && precision >= 0) unsupported("precision", dtype);
    if (!is_real && (scientific || shortest)) unsupported("scientific and shortest format", dtype);
    if (scientific && shortest) {
      throw errors::InvalidArgumentError("Cannot select both scientific and shortest notation");
    }
    if (fill.size() > 1) {
      throw errors::InvalidArgumentError(
          fmt::format("Fill string must be one or fewer characters, got {}", fill));
    }
    if (!fill.empty() && fill.find_first_not_of(" +-0#") != std::string::npos) {
      throw errors::InvalidArgumentError(fmt::format("Fill argument not supported: \"{}\"", fill));
    }
    constexpr int64_t kWidest = 1 << 20;  // printf counts in int; bounds the memory of one element
    if (width > kWidest || precision > kWidest) {
      throw errors::InvalidArgumentError(
          fmt::format("width and precision must be at most {}, got {} and {}", kWidest, width, precision));
    }
    format = "%" + fill;
    if (width >= 0) format += std::to_string(width);
    if (precision >= 0) format += "." + std::to_string(precision);
    const char* real = scientific ? "e" : shortest ? "g" : "f";
    format += is_real ? real : dtype_name(dtype).starts_with('u') ? "ju" : "jd";
  }

  [[noreturn]] static void unsupported(std::string_view what, DType dtype) {
    throw errors::InvalidArgumentError(
        fmt::format("{} not supported for datatype {}", what, dtype_kernel_name(dtype)));
  }

  template <class T>
  std::string print(T value) const {
    const int size = std::snprintf(nullptr, 0, format.c_str(), value);  // NOLINT: made above, for this type
    std::string text(static_cast<size_t>(size) + 1, '\0');
    std::snprintf(text.data(), text.size(), format.c_str(), value);  // NOLINT
    text.pop_back();
    return text;
  }

  template <class T>
  std::string operator()(T value) const {
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
      return fmt::format("({},{})", print(static_cast<double>(value.real())),
                         print(static_cast<double>(value.imag())));
    } else if constexpr (std::is_integral_v<T>) {
      return print(static_cast<std::conditional_t<std::is_signed_v<T>, intmax_t, uintmax_t>>(value));
    } else if constexpr (std::is_same_v<T, double>) {
      return print(value);
    } else {
      return print(static_cast<double>(static_cast<float>(value)));
    }
  }
};

using PrintedNumbers = TypeList<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, bfloat16, uint16_t,
                                float16, uint32_t, uint64_t, std::complex<float>, std::complex<double>>;

void as_string(DynamicCall& call) {
  const Array& input = call.in(0);
  if (input.dtype() == DType::kString) return call.set_out(0, input);
  Array output(DType::kString, input.shape());
  auto* out = output.mutable_data<std::string>();
  if (input.dtype() == DType::kBool) {
    for (int64_t i = 0; i < input.size(); ++i) out[i] = input.data<bool>()[i] ? "true" : "false";
  } else {
    const NumberForm form(call.attrs(), input.dtype());
    const bool known = dispatch<PrintedNumbers>(input.dtype(), [&]<class T>() {
      for (int64_t i = 0; i < input.size(); ++i) out[i] = form(input.data<T>()[i]);
    });
    if (!known)
      throw errors::UnimplementedError(
          fmt::format("AsString has no kernel for {}", dtype_name(input.dtype())));
  }
  call.set_out(0, std::move(output));
}

template <class T>
T to_number(const std::string& text) {
  const size_t begin = std::min(text.find_first_not_of(" \t\n\r"), text.size());
  const size_t end = text.find_last_not_of(" \t\n\r") + 1;
  const char* first = text.data() + begin + (text.substr(begin).starts_with('+') ? 1 : 0);
  const char* last = text.data() + std::max(begin, end);
  T value{};
  const auto [stop, error] = std::from_chars(first, last, value);
  if (error != std::errc() || stop != last) {
    throw errors::InvalidArgumentError(
        fmt::format("StringToNumberOp could not correctly convert string: {}", text));
  }
  return value;
}

void string_to_number(DynamicCall& call) {
  const Array& input = call.in(0);
  Array output(call.attrs().get<DType>("out_type"), input.shape());
  (void)dispatch<TypeList<float, double, int32_t, int64_t, uint32_t, uint64_t>>(
      output.dtype(), [&]<class T>() {
        std::ranges::transform(input.span<std::string>(), output.mutable_data<T>(), to_number<T>);
      });
  call.set_out(0, std::move(output));
}

// ---- characters

constexpr bool goes_on(char c) {
  return (static_cast<uint8_t>(c) & 0xc0) == 0x80;
}  // within a character of UTF-8

/// `encoding` "" changes ASCII's letters, "utf-8" those of all scripts.
template <int (*kChange)(int), std::string (*kChangeUtf8)(std::string_view)>
void change_letters(DynamicCall& call) {
  Array output = call.in(0);
  auto* texts = output.mutable_data<std::string>();
  const auto& encoding = call.attrs().get<std::string>("encoding");
  if (!encoding.empty() && encoding != "utf-8") {
    throw errors::InvalidArgumentError(
        fmt::format("only utf-8 or '' (no encoding) is supported, received {}", encoding));
  }
  if (encoding == "utf-8") {
    for (int64_t i = 0; i < output.size(); ++i) texts[i] = kChangeUtf8(texts[i]);
    return call.set_out(0, std::move(output));
  }
  for (int64_t i = 0; i < output.size(); ++i) {
    for (char& c : texts[i]) {
      if (static_cast<uint8_t>(c) < 0x80) c = static_cast<char>(kChange(c));
    }
  }
  call.set_out(0, std::move(output));
}

int to_lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }
int to_upper(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c; }

/// Blanks as the C locale has them.
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void string_strip(DynamicCall& call) {
  Array output(DType::kString, call.in(0).shape());
  std::ranges::transform(call.in(0).span<std::string>(), output.mutable_data<std::string>(),
                         [](const std::string& text) {
                           const auto first = std::ranges::find_if_not(text, is_blank);
                           auto last = text.end();
                           while (last != first && is_blank(*(last - 1))) --last;
                           return std::string(first, last);
                         });
  call.set_out(0, std::move(output));
}

void string_length(DynamicCall& call) {
  const bool characters = call.attrs().get<std::string>("unit") == "UTF8_CHAR";
  Array output(DType::kInt32, call.in(0).shape());
  std::ranges::transform(
      call.in(0).span<std::string>(), output.mutable_data<int32_t>(), [&](const std::string& text) {
        return static_cast<int32_t>(characters ? std::ranges::count_if(text, std::not_fn(goes_on))
                                               : std::ssize(text));
      });
  call.set_out(0, std::move(output));
}

constexpr graph::OpRow kStringOps[] = {
    {.name = "StringJoin",
     .inputs = "inputs:N*string",
     .outputs = "output:string",
     .attrs = "N:int>=0; separator:string=\"\"",
     .shape = string_join_shape,
     .not_differentiable = true,
     .compute = string_join},
    {.name = "StringFormat",
     .inputs = "inputs:[T]",
     .outputs = "output:string",
     .attrs = "T:list(type); template:string=\"%s\"; placeholder:string=\"%s\"; summarize:int=3",
     .shape = graph::scalar_shape,
     .compute = string_format},
    {.name = "AsString",
     .inputs = "input:T",
     .outputs = "output:string",
     .attrs = "T:type{[float32,float64,int32,uint8,int16,int8,int64,bfloat16,uint16,float16,uint32,uint64,"
              "complex64,complex128,bool,variant,string]}; precision:int=-1; scientific:bool=false; "
              "shortest:bool=false; width:int=-1; fill:string=\"\"",
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .compute = as_string},
    {.name = "StringToNumber",
     .inputs = "string_tensor:string",
     .outputs = "output:out_type",
     .attrs = "out_type:type=float32{[float32,float64,int32,int64,uint32,uint64]}",
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .compute = string_to_number},
    {.name = "StringLower",
     .inputs = "input:string",
     .outputs = "output:string",
     .attrs = "encoding:string=\"\"",
     .shape = graph::unchanged_shape,
     .compute = change_letters<to_lower, utf8_to_lower>},
    {.name = "StringUpper",
     .inputs = "input:string",
     .outputs = "output:string",
     .attrs = "encoding:string=\"\"",
     .shape = graph::unchanged_shape,
     .compute = change_letters<to_upper, utf8_to_upper>},
    {.name = "StringStrip",
     .inputs = "input:string",
     .outputs = "output:string",
     .shape = graph::unchanged_shape,
     .compute = string_strip},
    {.name = "StringLength",
     .inputs = "input:string",
     .outputs = "output:int32",
     .attrs = "unit:string=\"BYTE\"{[BYTE,UTF8_CHAR]}",
     .shape = graph::unchanged_shape,
     .compute = string_length},
};

}  // namespace

void register_string_ops(OpTable& table) {
  for (const graph::OpRow& row : kStringOps) table.add(row);
}

}  // namespace flowray::ops
