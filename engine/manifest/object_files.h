// What a build's object files hold: sections with their bytes, relocations and symbols.
//
// Read with libelf from .o files and static archives, 64-bit ELF with RELA relocations, as every
// compiler for x86-64 and AArch64 writes, and the cubins that nvcc puts into them. Nothing is
// interpreted here but which function stands for which kernel (kernel_stubs.h); code_hash.h does
// the rest.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay {

struct Relocation {
  std::uint64_t offset = 0;  // bytes from the section's start
  std::uint32_t type = 0;    // the machine's own number
  std::uint32_t symbol = 0;  // index into ObjectFile::symbols
  std::int64_t addend = 0;
};

struct ObjectSection {
  std::string name;
  std::uint32_t type = 0;        // SHT_*
  std::uint64_t flags = 0;       // SHF_*
  std::uint64_t entry_size = 0;  // of a mergeable section's entries
  std::uint64_t size = 0;
  std::string bytes;                    // empty for SHT_NOBITS
  std::vector<Relocation> relocations;  // by offset
};

struct ObjectSymbol {
  std::string name;
  std::uint32_t section = 0;  // index; 0 when defined elsewhere or nowhere
  std::uint64_t value = 0;    // bytes from the section's start
  bool is_section = false;    // stands for the section itself
  bool is_global = false;     // visible to other objects; weak ones, too
  bool is_weak = false;
};

struct ObjectFile {
  std::string name;           // "archive.a(member.o)"
  std::uint16_t machine = 0;  // EM_*
  std::vector<ObjectSection> sections;
  std::vector<ObjectSymbol> symbols;
  // Hashes of kernels' device code, by the section of the host function that stands for them.
  std::map<std::uint32_t, std::string> kernels;
};

// Where a symbol is defined.
struct SymbolPlace {
  const ObjectFile* object = nullptr;
  const ObjectSymbol* symbol = nullptr;
};

struct ObjectSet {
  std::vector<ObjectFile> objects;             // in the order given
  std::map<std::string, SymbolPlace> globals;  // a strong definition, else the first weak one
};

// Error(kBaseline) that names the file when one cannot be read or is of another kind.
ObjectSet read_objects(const std::vector<std::string>& paths);

// A GPU's object (an executable or relocatable cubin) that another object contains. Of sections
// that are not loaded, those named .nv.info have their bytes.
ObjectFile read_cubin(std::string bytes, const std::string& name);

// What a relocation's addend lacks to the place that it means: the distance from its 4-byte field
// to the next instruction, where it is relative to that.
std::int64_t field_distance(std::uint16_t machine, std::uint32_t type);

}  // namespace assay
