#include "engine/manifest/object_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "engine/core/error.h"
#include "engine/manifest/kernel_stubs.h"

namespace assay {
namespace {

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

struct OpenFile {
  explicit OpenFile(const std::string& path) : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd < 0) throw Error(ErrorKind::kBaseline, fmt::format("{}: cannot be opened", path));
  }
  ~OpenFile() { close(fd); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd;
};

[[noreturn]] void damaged(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::kBaseline, fmt::format("{}: {}; build it again", name, what));
}

std::string bytes_of(Elf_Scn* section, const std::string& name) {
  std::string bytes;
  Elf_Data* data = nullptr;
  while ((data = elf_getdata(section, data)) != nullptr) {
    if (data->d_buf == nullptr && data->d_size > 0) damaged(name, "a section without its bytes");
    bytes.append(static_cast<const char*>(data->d_buf), data->d_size);
  }
  return bytes;
}

ObjectSection read_section(Elf* elf, std::size_t names, Elf_Scn* section, const std::string& file) {
  GElf_Shdr header;
  if (gelf_getshdr(section, &header) == nullptr) damaged(file, "a section without a header");
  const char* name = elf_strptr(elf, names, header.sh_name);
  ObjectSection read;
  read.name = name != nullptr ? name : "";
  read.type = header.sh_type;
  read.flags = header.sh_flags;
  read.entry_size = header.sh_entsize;
  read.size = header.sh_size;
  const bool wanted = (header.sh_flags & SHF_ALLOC) != 0 || read.name.starts_with(".nv.info");
  if (wanted && header.sh_type != SHT_NOBITS) {
    read.bytes = bytes_of(section, file);
  }
  return read;
}

void read_symbols(Elf* elf, Elf_Scn* section, ObjectFile& object) {
  GElf_Shdr header;
  gelf_getshdr(section, &header);
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) damaged(object.name, "an unreadable symbol table");
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym entry;
    if (gelf_getsym(data, i, &entry) == nullptr) damaged(object.name, "an unreadable symbol");
    if (entry.st_shndx == SHN_XINDEX) damaged(object.name, "more than 65279 sections");
    const char* name = elf_strptr(elf, header.sh_link, entry.st_name);
    ObjectSymbol symbol;
    symbol.name = name != nullptr ? name : "";
    symbol.section = entry.st_shndx < object.sections.size() ? entry.st_shndx : 0;
    symbol.value = entry.st_value;
    symbol.is_section = GELF_ST_TYPE(entry.st_info) == STT_SECTION;
    symbol.is_global = GELF_ST_BIND(entry.st_info) != STB_LOCAL;
    symbol.is_weak = GELF_ST_BIND(entry.st_info) == STB_WEAK;
    object.symbols.push_back(std::move(symbol));
  }
}

void read_relocations(Elf_Scn* section, ObjectFile& object) {
  GElf_Shdr header;
  gelf_getshdr(section, &header);
  if (header.sh_info >= object.sections.size()) damaged(object.name, "relocations of no section");
  ObjectSection& target = object.sections[header.sh_info];
  if ((target.flags & SHF_ALLOC) == 0) return;  // debug information
  if (header.sh_type == SHT_REL) damaged(object.name, "relocations without addends");
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) damaged(object.name, "unreadable relocations");
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Rela entry;
    if (gelf_getrela(data, i, &entry) == nullptr) damaged(object.name, "an unreadable relocation");
    const auto symbol = static_cast<std::uint32_t>(GELF_R_SYM(entry.r_info));
    if (symbol >= object.symbols.size()) damaged(object.name, "a relocation against no symbol");
    target.relocations.push_back({entry.r_offset,
                                  static_cast<std::uint32_t>(GELF_R_TYPE(entry.r_info)), symbol,
                                  entry.r_addend});
  }
  std::stable_sort(target.relocations.begin(), target.relocations.end(),
                   [](const Relocation& a, const Relocation& b) { return a.offset < b.offset; });
}

ObjectFile read_object(Elf* elf, const std::string& name) {
  ObjectFile object;
  object.name = name;
  GElf_Ehdr header;
  const bool read = gelf_getehdr(elf, &header) != nullptr && gelf_getclass(elf) == ELFCLASS64;
  if (!read || (header.e_type != ET_REL && header.e_machine != EM_CUDA)) {
    damaged(name, "not a 64-bit object file");
  }
  object.machine = header.e_machine;
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) damaged(name, "no section names");
  object.sections.emplace_back();  // index 0 is no section
  Elf_Scn* section = nullptr;
  std::vector<Elf_Scn*> symbol_tables, relocation_tables;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    object.sections.push_back(read_section(elf, names, section, name));
    const std::uint32_t type = object.sections.back().type;
    if (type == SHT_SYMTAB) symbol_tables.push_back(section);
    if (type == SHT_RELA || type == SHT_REL) relocation_tables.push_back(section);
  }
  for (Elf_Scn* table : symbol_tables) read_symbols(elf, table, object);
  for (Elf_Scn* table : relocation_tables) read_relocations(table, object);
  return object;
}

void read_file(const std::string& path, std::vector<ObjectFile>& objects) {
  const OpenFile file(path);
  const ElfHandle whole(elf_begin(file.fd, ELF_C_READ, nullptr));
  if (whole == nullptr) damaged(path, elf_errmsg(-1));
  if (elf_kind(whole.get()) == ELF_K_ELF) {
    objects.push_back(read_object(whole.get(), path));
    return;
  }
  if (elf_kind(whole.get()) != ELF_K_AR) damaged(path, "neither an object file nor an archive");
  Elf_Cmd command = ELF_C_READ;
  while (true) {
    const ElfHandle member(elf_begin(file.fd, command, whole.get()));
    if (member == nullptr) break;
    const Elf_Arhdr* header = elf_getarhdr(member.get());
    const std::string name = header != nullptr && header->ar_name != nullptr ? header->ar_name : "";
    if (elf_kind(member.get()) == ELF_K_ELF) {
      objects.push_back(read_object(member.get(), path + "(" + name + ")"));
    }
    command = elf_next(member.get());
  }
}

}  // namespace

ObjectFile read_cubin(std::string bytes, const std::string& name) {
  const ElfHandle elf(elf_memory(bytes.data(), bytes.size()));
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF) damaged(name, "not a cubin");
  return read_object(elf.get(), name);
}

std::int64_t field_distance(std::uint16_t machine, std::uint32_t type) {
  if (machine != EM_X86_64) return 0;
  switch (type) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return 4;
    default:
      return 0;
  }
}

ObjectSet read_objects(const std::vector<std::string>& paths) {
  if (elf_version(EV_CURRENT) == EV_NONE) {
    throw Error(ErrorKind::kBaseline, "libelf: older than its header; install both again");
  }
  ObjectSet set;
  for (const std::string& path : paths) read_file(path, set.objects);
  for (ObjectFile& object : set.objects) object.kernels = kernels_by_stub(object);
  for (const ObjectFile& object : set.objects) {
    for (const ObjectSymbol& symbol : object.symbols) {
      if (!symbol.is_global || symbol.section == 0) continue;
      const auto [place, added] =
          set.globals.try_emplace(symbol.name, SymbolPlace{&object, &symbol});
      if (!added && place->second.symbol->is_weak && !symbol.is_weak) {
        place->second = {&object, &symbol};
      }
    }
  }
  return set;
}

}  // namespace assay
