// operator new over malloc, for a program that is linked with mimalloc: as a C library that one
// ends the program where memory is out, instead of throwing. Linked into `assay` only, and only
// then.
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <string_view>

#include "engine/core/error.h"

namespace {

// False while the libraries are being loaded: nothing would catch an exception of theirs, nor is
// there memory for one.
constinit bool loaded = false;
struct Loaded {
  Loaded() { loaded = true; }
} const at_load;

[[noreturn]] void end_before_main() {
  constexpr std::string_view kWhy =
      "assay: out of memory at its start: it needs more than 64 MB of address space (ulimit -v)\n";
  (void)!::write(STDERR_FILENO, kWhy.data(), kWhy.size());
  ::_exit(static_cast<int>(assay::ErrorKind::kEnvironment));
}

void* memory_or_throw(void* memory) {
  if (memory != nullptr) return memory;
  if (!loaded) end_before_main();
  throw std::bad_alloc();
}

void* aligned(std::size_t size, std::align_val_t alignment) {
  void* memory = nullptr;
  const int failed = ::posix_memalign(&memory, static_cast<std::size_t>(alignment), size);
  return failed != 0 ? nullptr : memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return memory_or_throw(std::malloc(size > 0 ? size : 1));
}
void* operator new[](std::size_t size) {
  return memory_or_throw(std::malloc(size > 0 ? size : 1));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return memory_or_throw(aligned(size, alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return memory_or_throw(aligned(size, alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
