#include "cluster/security.h"

#include "files/file_contents.h"

#include <flowray/errors.h>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

namespace flowray::cluster {
namespace {

using engine::SecurityFiles;

constexpr std::string_view kScheme = "grpc://";

/// Neither pipes nor anything large: these are small files.
files::FileAccess small_files() {
  return files::FileAccess({.only_regular = true, .most_read_bytes = 1 << 20});
}

std::string read_pem(const std::string& path, std::string_view what) {
  std::string text = files::read_file(path, small_files());
  if (text.find("-----BEGIN ") != std::string::npos) return text;
  throw errors::InvalidArgumentError(fmt::format(
      "{} has no {}\nExpected PEM text, in which a line \"-----BEGIN ...-----\" begins it.", path, what));
}

void refuse_if_everybody_reads(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0 || (about.st_mode & S_IROTH) == 0) return;  // reading it tells more
  throw errors::InvalidArgumentError(
      fmt::format("{0} is secret, but every user of this machine may read it (mode {1:04o})\nchmod 600 {0}",
                  path, about.st_mode & 07777));
}

/// gRPC ends calls whose metadata takes more than 8 KB.
constexpr size_t kMostTokenBytes = 4096;

std::string read_token(const std::string& path) {
  refuse_if_everybody_reads(path);
  std::string token = files::read_file(path, small_files());
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (token.empty()) {
    throw errors::InvalidArgumentError(
        fmt::format("{0} holds no token\nMake one: (umask 077; openssl rand -hex 32 > {0})", path));
  }
  if (token.size() > kMostTokenBytes) {
    throw errors::InvalidArgumentError(
        fmt::format("The token in {} has {} characters, and at most {} can be sent with a request", path,
                    token.size(), kMostTokenBytes));
  }
  const auto is_sent = [](unsigned char c) { return c > ' ' && c <= '~'; };
  if (std::ranges::all_of(token, is_sent)) return token;
  throw errors::InvalidArgumentError(fmt::format(
      "The token in {} is not one line of printable ASCII without spaces, as it has to be to be sent", path));
}

/// A file by the name that it has in a target.
std::string* file_named(SecurityFiles& files, std::string_view name) {
  const std::array<std::pair<std::string_view, std::string*>, 4> known = {
      {{"tls_cert", &files.tls_cert},
       {"tls_key", &files.tls_key},
       {"tls_ca", &files.tls_ca},
       {"token_file", &files.token_file}}};
  for (const auto& [known_name, file] : known) {
    if (known_name == name) return file;
  }
  return nullptr;
}

/// "%26" is '&'.
std::string decoded(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    int byte = 0;
    const char* const digits = text.data() + i + 1;
    const bool is_code = text[i] == '%' && i + 2 < text.size() &&
                         std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    result += is_code ? static_cast<char>(byte) : text[i];
    if (is_code) i += 2;
  }
  return result;
}

}  // namespace

Security read_security(const SecurityFiles& files) {
  if (files.tls_cert.empty() != files.tls_key.empty() || (!files.tls_cert.empty() && files.tls_ca.empty())) {
    throw errors::InvalidArgumentError(
        fmt::format("TLS needs a certificate, its key and the authority that signs those of the other side, "
                    "but there is no "
                    "{}\nGive tls_cert, tls_key and tls_ca together.",
                    files.tls_cert.empty()  ? "tls_cert"
                    : files.tls_key.empty() ? "tls_key"
                                            : "tls_ca"));
  }
  Security security;
  if (!files.tls_ca.empty()) security.authority = read_pem(files.tls_ca, "certificate of an authority");
  if (!files.tls_cert.empty()) {
    security.certificate = read_pem(files.tls_cert, "certificate");
    refuse_if_everybody_reads(files.tls_key);
    security.key = read_pem(files.tls_key, "key");
  }
  if (!files.token_file.empty()) security.token = read_token(files.token_file);
  return security;
}

ParsedTarget parse_target(const std::string& target) {
  ParsedTarget parsed;
  std::string_view rest = std::string_view(target).substr(kScheme.size());
  const size_t question = std::min(rest.find('?'), rest.size());
  parsed.address = rest.substr(0, question);
  rest.remove_prefix(std::min(question + 1, rest.size()));
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(option.size() + 1, rest.size()));
    const size_t equals = option.find('=');
    std::string* const file = file_named(parsed.files, option.substr(0, equals));
    if (file == nullptr || equals == std::string_view::npos || equals + 1 == option.size()) {
      throw errors::InvalidArgumentError(
          fmt::format("Could not interpret \"{}\" in the target \"{}\"\nExpected "
                      "grpc://host:port?NAME=FILE&NAME=FILE with the "
                      "names tls_ca, tls_cert, tls_key and token_file.",
                      option, target));
    }
    *file = decoded(option.substr(equals + 1));
  }
  // TensorFlow asks for no more than a number behind the last colon.
  const size_t colon = parsed.address.rfind(':');
  const std::string port = colon == std::string::npos ? std::string() : parsed.address.substr(colon + 1);
  const bool is_number =
      !port.empty() && std::ranges::all_of(port, [](unsigned char c) { return std::isdigit(c) != 0; });
  if (is_number) return parsed;
  throw errors::InvalidArgumentError(fmt::format(
      "Could not interpret \"{}\" as a host-port pair.\nA server is named as \"grpc://host:port\".",
      parsed.address));
}

bool is_loopback(const std::string& host) {
  std::string bare = host;
  if (bare.starts_with('[') && bare.ends_with(']')) bare = bare.substr(1, bare.size() - 2);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(bare.c_str(), nullptr, &hints, &found) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    if (address->ai_family == AF_INET) {
      const auto& ip = reinterpret_cast<const sockaddr_in*>(address->ai_addr)->sin_addr;
      if ((ntohl(ip.s_addr) >> 24) != 127) return false;
    } else if (address->ai_family == AF_INET6) {
      const auto& ip = reinterpret_cast<const sockaddr_in6*>(address->ai_addr)->sin6_addr;
      const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&ip) && ip.s6_addr[12] == 127;
      if (!IN6_IS_ADDR_LOOPBACK(&ip) && !is_mapped) return false;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace flowray::cluster
