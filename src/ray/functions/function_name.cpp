#include "ray/functions/function_name.h"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

namespace flowray::ray {
namespace {

/// The file that an address was loaded from, and where the address lies in it.
struct PlaceOfCode {
  uintptr_t address = 0;
  std::string file;
  uintptr_t value = 0;  // as symbols have it
};

int find_place(dl_phdr_info* module, size_t, void* data) {
  auto& place = *static_cast<PlaceOfCode*>(data);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const auto& part = module->dlpi_phdr[i];
    const uintptr_t begin = module->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || place.address < begin || place.address - begin >= part.p_memsz) continue;
    place.file = *module->dlpi_name == '\0' ? "/proc/self/exe" : module->dlpi_name;
    place.value = place.address - module->dlpi_addr;
    return 1;
  }
  return 0;
}

template <class T>
std::vector<T> read_table(std::ifstream& file, uint64_t offset, uint64_t bytes) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of a file that is damaged
  std::vector<T> table(std::min(bytes, kMostBytes) / sizeof(T));
  file.seekg(static_cast<std::streamoff>(offset));
  if (!file.read(reinterpret_cast<char*>(table.data()),
                 static_cast<std::streamsize>(table.size() * sizeof(T))))
    table.clear();
  return table;
}

/// The name of the function at `value`, as the linker has it; empty if the table has none.
std::string name_in_table(std::ifstream& file, std::span<const ElfW(Shdr)> sections, const ElfW(Shdr) & table,
                          uintptr_t value) {
  if (table.sh_link >= sections.size()) return {};
  for (const auto& symbol : read_table<ElfW(Sym)>(file, table.sh_offset, table.sh_size)) {
    if (symbol.st_value != value || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    const auto& names = sections[table.sh_link];
    if (symbol.st_name >= names.sh_size) return {};
    file.seekg(static_cast<std::streamoff>(names.sh_offset + symbol.st_name));
    std::string name;
    std::getline(file, name, '\0');
    return name;
  }
  return {};
}

std::string name_in_file(const PlaceOfCode& place) {
  std::ifstream file(place.file, std::ios::binary);
  ElfW(Ehdr) head{};
  if (!file.read(reinterpret_cast<char*>(&head), sizeof head)) return {};
  const auto sections =
      read_table<ElfW(Shdr)>(file, head.e_shoff, uint64_t{head.e_shnum} * sizeof(ElfW(Shdr)));
  for (const ElfW(Word) type : {ElfW(Word){SHT_SYMTAB}, ElfW(Word){SHT_DYNSYM}}) {
    for (const auto& section : sections) {
      if (section.sh_type != type) continue;
      if (std::string name = name_in_table(file, sections, section, place.value); !name.empty()) return name;
    }
  }
  return {};
}

}  // namespace

std::string function_name_at(const void* address) {
  PlaceOfCode place{.address = reinterpret_cast<uintptr_t>(address)};
  if (address == nullptr || dl_iterate_phdr(find_place, &place) == 0) return {};
  const std::string linked = name_in_file(place);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(linked.c_str(), nullptr, nullptr, &status), std::free);
  std::string text = status == 0 ? name.get() : linked;
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (size_t at = 0; (at = text.find(kUnnamed, at)) != std::string::npos;) text.erase(at, kUnnamed.size());
  return text;
}

}  // namespace flowray::ray
