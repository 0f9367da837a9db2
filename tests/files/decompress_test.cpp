#include "files/decompress.h"

#include <flowray/errors.h>

#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

namespace flowray::files {
namespace {

TEST(Decompressed, BecomesNoMoreThanItMay) {
  const std::string plain(1 << 20, 'x');
  std::string zipped(compressBound(plain.size()), '\0');
  uLongf size = zipped.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(zipped.data()), &size,
                     reinterpret_cast<const Bytef*>(plain.data()), plain.size()),
            Z_OK);
  zipped.resize(size);
  EXPECT_EQ(decompressed(zipped, "ZLIB", 0), plain);
  EXPECT_EQ(decompressed(zipped, "ZLIB", plain.size()), plain);
  EXPECT_THROW(decompressed(zipped, "ZLIB", plain.size() - 1), errors::ResourceExhaustedError);
  EXPECT_EQ(decompressed(plain, "", 1), plain) << "it was read by the limit of files";
}

}  // namespace
}  // namespace flowray::files
