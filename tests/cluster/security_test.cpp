#include "cluster/security.h"

#include <flowray/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "support/idx_files.h"

namespace flowray::cluster {
namespace {

using ::testing::HasSubstr;

class SecurityTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content, mode_t mode = 0600) const {
    const std::string path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  template <class Error = errors::InvalidArgumentError>
  static std::string complaint_of(const engine::SecurityFiles& files) {
    try {
      (void)read_security(files);
    } catch (const Error& error) {
      return error.message();
    }
    ADD_FAILURE() << "there is no error";
    return {};
  }

  const testing::TestFolder folder_;
  const std::string pem_ = file("x.pem", "-----BEGIN CERTIFICATE-----\n");
};

TEST_F(SecurityTest, ReadsWhatIsInTheFiles) {
  const std::string key = file("key.pem", "-----BEGIN PRIVATE KEY-----\n");
  const Security security = read_security({pem_, key, pem_, file("token", "s3cr-et\n")});
  EXPECT_EQ(security.certificate, "-----BEGIN CERTIFICATE-----\n");
  EXPECT_EQ(security.key, "-----BEGIN PRIVATE KEY-----\n");
  EXPECT_EQ(security.authority, "-----BEGIN CERTIFICATE-----\n");
  EXPECT_EQ(security.token, "s3cr-et");
  EXPECT_TRUE(security.has_tls());
  EXPECT_FALSE(read_security({}).has_tls());
}

TEST_F(SecurityTest, NeedsFilesThatAreSome) {
  const std::string none = folder_.path() / "none";
  EXPECT_THAT(complaint_of<errors::NotFoundError>({.tls_ca = none}), HasSubstr(none + "; No such file"));
  EXPECT_THAT(complaint_of<errors::NotFoundError>({.token_file = none}), HasSubstr(none + "; No such file"));
  EXPECT_THAT(complaint_of({.tls_ca = file("text", "hello")}),
              HasSubstr("has no certificate of an authority\n"));
  EXPECT_THAT(complaint_of({.tls_cert = pem_, .tls_key = pem_}), HasSubstr("there is no tls_ca\n"));
  EXPECT_THAT(complaint_of({.tls_cert = pem_, .tls_ca = pem_}), HasSubstr("there is no tls_key\n"));
  EXPECT_THAT(complaint_of({.tls_key = pem_, .tls_ca = pem_}), HasSubstr("there is no tls_cert\n"));
}

TEST_F(SecurityTest, NeedsATokenThatCanBeSentAndIsSecret) {
  EXPECT_THAT(complaint_of({.token_file = file("empty", "")}), HasSubstr("holds no token\n"));
  EXPECT_THAT(complaint_of({.token_file = file("line", "\n")}), HasSubstr("holds no token\n"));
  EXPECT_THAT(complaint_of({.token_file = file("two", "one\ntwo\n")}), HasSubstr("is not one line"));
  EXPECT_THAT(complaint_of({.token_file = file("umlaut", "\xc3\xa4")}), HasSubstr("is not one line"));
  EXPECT_EQ(read_security({.token_file = file("long", std::string(4096, 'x') + "\n")}).token.size(), 4096u);
  EXPECT_THAT(complaint_of({.token_file = file("longer", std::string(4097, 'x'))}),
              HasSubstr("has 4097 characters, and at most 4096 can be sent with a request"));
  EXPECT_THAT(complaint_of({.token_file = file("open", "secret", 0644)}),
              HasSubstr("every user of this machine may read it (mode 0644)\nchmod 600 "));
  const std::string open_key = file("open.pem", "-----BEGIN PRIVATE KEY-----\n", 0604);
  EXPECT_THAT(complaint_of({.tls_cert = pem_, .tls_key = open_key, .tls_ca = pem_}), HasSubstr("chmod 600 "));
}

TEST(ParseTarget, FindsAddressAndFiles) {
  EXPECT_EQ(parse_target("grpc://host:2222").address, "host:2222");
  const ParsedTarget all =
      parse_target("grpc://[::1]:1?tls_ca=/a/ca.pem&tls_cert=c.pem&tls_key=k.pem&token_file=/t%26%25x");
  EXPECT_EQ(all.address, "[::1]:1");
  EXPECT_EQ(all.files.tls_ca, "/a/ca.pem");
  EXPECT_EQ(all.files.tls_cert, "c.pem");
  EXPECT_EQ(all.files.tls_key, "k.pem");
  EXPECT_EQ(all.files.token_file, "/t&%x");
  EXPECT_EQ(parse_target("grpc://h:1?token_file=100%").files.token_file, "100%");
}

TEST(ParseTarget, RefusesWhatItDoesNotKnow) {
  for (const char* target :
       {"grpc://host", "grpc://host:", "grpc://host:x", "grpc://", "grpc://?token_file=x",
        "grpc://h:1?token=x", "grpc://h:1?token_file", "grpc://h:1?token_file=", "grpc://h:1?=x",
        "grpc://h:1?tls_ca=x&&token_file=y", "grpc://h:1/path"}) {
    EXPECT_THROW((void)parse_target(target), errors::InvalidArgumentError) << target;
  }
}

TEST(IsLoopback, KnowsThisMachinesOwnAddresses) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"0.0.0.0", "[::]", "::", "192.0.2.1", "not a host"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

}  // namespace
}  // namespace flowray::cluster
