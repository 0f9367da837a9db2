// Numbers in paths, against CPython 3.11's str.format and format().
#include "tf/keras/python_format.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace flowray::tf::keras {
namespace {

std::string of(const std::string& format) {
  return python_format(
      format,
      {{"loss", 12345.678}, {"epoch", int64_t{1234567}}, {"p", int64_t{2}}, {"w", int64_t{12}}, {"a", 1e-7}});
}

std::string of(double value, const std::string& spec) {
  return python_format("{v:" + spec + "}", {{"v", value}});
}

template <class Error>
std::string error_of(const std::string& format) {
  try {
    return "no error: " + of(format);
  } catch (const Error& error) {
    return error.message();
  }
}

struct Case {
  const char* format;
  const char* expected;
};

TEST(PythonFormat, PutsNumbersWhereTheirNamesStand) {
  for (const auto& [format, expected] : {Case{"w{epoch:02d}-{loss:.2f}.h5", "w1234567-12345.68.h5"},
                                         Case{"{{epoch}}", "{epoch}"},
                                         Case{"{loss}", "12345.678"},
                                         Case{"{a}", "1e-07"},
                                         Case{"{epoch:,}", "1,234,567"},
                                         Case{"{epoch:_d}", "1_234_567"},
                                         Case{"{epoch:+}", "+1234567"},
                                         Case{"{epoch: d}", " 1234567"},
                                         Case{"{epoch:x}", "12d687"},
                                         Case{"{epoch:#x}", "0x12d687"},
                                         Case{"{epoch:#b}", "0b100101101011010000111"},
                                         Case{"{epoch:010_x}", "0_0012_d687"},
                                         Case{"{epoch:.2f}", "1234567.00"},
                                         Case{"{epoch:e}", "1.234567e+06"},
                                         Case{"{epoch:%}", "123456700.000000%"},
                                         Case{"{epoch:08,}", "1,234,567"},
                                         Case{"{epoch:<08d}", "12345670"},
                                         Case{"{epoch:=+8d}", "+1234567"},
                                         Case{"{loss:,.2f}", "12,345.68"},
                                         Case{"{loss:.1%}", "1234567.8%"},
                                         Case{"{loss:*^12.3f}", "*12345.678**"},
                                         Case{"{loss:012.3f}", "00012345.678"},
                                         Case{"{loss:-012,.1f}", "00,012,345.7"},
                                         Case{"{loss:=10}", " 12345.678"},
                                         Case{"{loss:é>12.2f}", "éééé12345.68"},
                                         Case{"{loss:#.0f}", "12346."},
                                         Case{"{loss:_.4f}", "12_345.6780"},
                                         Case{"{loss:z.1f}", "12345.7"},
                                         Case{"{loss:#.3g}", "1.23e+04"}}) {
    EXPECT_EQ(of(format), expected) << format;
  }
}

TEST(PythonFormat, PlacesStandInsideOfPlaces) {
  EXPECT_EQ(of("{loss:.{p}f}"), "12345.68");
  EXPECT_EQ(of("{loss:{w}.{p}f}"), "    12345.68");
  EXPECT_EQ(error_of<ValueError>("{loss:{w:{p}}}"), "Max string recursion exceeded");
}

TEST(PythonFormat, TextsOfNumbersAreLaidOutAsTexts) {
  EXPECT_EQ(of("{loss!r:>10}"), " 12345.678");
  EXPECT_EQ(of("{loss!s:.3}"), "123");
  EXPECT_EQ(of("{loss!r:010}"), "12345.6780");
  EXPECT_EQ(error_of<ValueError>("{loss!r:d}"), "Unknown format code 'd' for object of type 'str'");
  EXPECT_EQ(error_of<ValueError>("{loss!x}"), "Unknown conversion specifier x");
}

TEST(PythonFormat, FloatsHaveTheDigitsOfPythons) {
  const char* const specs[] = {"",  ".3", ".1",  ".0",    "g",    ".3g", "#g", "010",
                               "+", "f",  ".2e", "08.2f", ",.1f", "%",   "_"};
  struct Row {
    double value;
    const char* texts[15];
  };
  for (const Row& row :
       {Row{1.0,
            {"1.0", "1.0", "1e+00", "1e+00", "1", "1", "1.00000", "00000001.0", "+1.0", "1.000000",
             "1.00e+00", "00001.00", "1.0", "100.000000%", "1.0"}},
        Row{12.0,
            {"12.0", "12.0", "1e+01", "1e+01", "12", "12", "12.0000", "00000012.0", "+12.0", "12.000000",
             "1.20e+01", "00012.00", "12.0", "1200.000000%", "12.0"}},
        Row{1.234e-05,
            {"1.234e-05", "1.23e-05", "1e-05", "1e-05", "1.234e-05", "1.23e-05", "1.23400e-05", "01.234e-05",
             "+1.234e-05", "0.000012", "1.23e-05", "00000.00", "0.0", "0.001234%", "1.234e-05"}},
        Row{1e16,
            {"1e+16", "1e+16", "1e+16", "1e+16", "1e+16", "1e+16", "1.00000e+16", "000001e+16", "+1e+16",
             "10000000000000000.000000", "1.00e+16", "10000000000000000.00", "10,000,000,000,000,000.0",
             "1000000000000000000.000000%", "1e+16"}},
        Row{123456789.0,
            {"123456789.0", "1.23e+08", "1e+08", "1e+08", "1.23457e+08", "1.23e+08", "1.23457e+08",
             "123456789.0", "+123456789.0", "123456789.000000", "1.23e+08", "123456789.00", "123,456,789.0",
             "12345678900.000000%", "123_456_789.0"}},
        Row{-0.0,
            {"-0.0", "-0.0", "-0e+00", "-0e+00", "-0", "-0", "-0.00000", "-0000000.0", "-0.0", "-0.000000",
             "-0.00e+00", "-0000.00", "-0.0", "-0.000000%", "-0.0"}},
        Row{std::numeric_limits<double>::infinity(),
            {"inf", "inf", "inf", "inf", "inf", "inf", "inf", "0000000inf", "+inf", "inf", "inf", "00000inf",
             "inf", "inf%", "inf"}},
        Row{0.1,
            {"0.1", "0.1", "0.1", "0.1", "0.1", "0.1", "0.100000", "00000000.1", "+0.1", "0.100000",
             "1.00e-01", "00000.10", "0.1", "10.000000%", "0.1"}}}) {
    for (size_t i = 0; i < 15; ++i) EXPECT_EQ(of(row.value, specs[i]), row.texts[i]) << row.value << specs[i];
  }
}

TEST(PythonFormat, SaysWhatIsWrongInPythonsWords) {
  for (const auto& [format, expected] :
       {Case{"{loss:02d}", "Unknown format code 'd' for object of type 'float'"},
        Case{"{epoch:y}", "Unknown format code 'y' for object of type 'int'"},
        Case{"{epoch:.2}", "Precision not allowed in integer format specifier"},
        Case{"{loss:", "unmatched '{' in format spec"}, Case{"{loss", "expected '}' before end of string"},
        Case{"}", "Single '}' encountered in format string"},
        Case{"{", "Single '{' encountered in format string"},
        Case{"{loss:abc}", "Invalid format specifier 'abc' for object of type 'float'"},
        Case{"{loss:.}", "Format specifier missing precision"},
        Case{"{epoch:,_}", "Cannot specify both ',' and '_'."},
        Case{"{epoch:,x}", "Cannot specify ',' with 'x'."},
        Case{"{epoch:z}", "Negative zero coercion (z) not allowed in integer format specifier"},
        Case{"{epoch!}", "unmatched '{' in format spec"},
        Case{"{epoch!rx}", "expected ':' after conversion specifier"}}) {
    EXPECT_EQ(error_of<ValueError>(format), expected) << format;
  }
  for (const char* format : {"{}", "{0}", "{:d}", "{0:d}"}) {
    EXPECT_EQ(error_of<IndexError>(format), "Replacement index 0 out of range for positional args tuple");
  }
  EXPECT_EQ(error_of<KeyError>("{val}"), "val");
  EXPECT_EQ(error_of<KeyError>("{ epoch }"), " epoch ");
}

TEST(PythonFormat, RefusesTextsThatNoMemoryHolds) {
  for (const char* format : {"{loss:99999999999}", "{loss:.999999999999f}", "{epoch:100000}"})
    EXPECT_EQ(error_of<ValueError>(format).substr(0, 40), "Too many decimal digits in format string")
        << format;
}

}  // namespace
}  // namespace flowray::tf::keras
