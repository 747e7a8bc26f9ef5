// operator new over malloc, for a program that is linked with mimalloc: as a C library that one
// ends the program where memory is out, instead of throwing. Linked into `assay` only, and only
// then.
#include <cstdlib>
#include <new>

namespace {

void* memory_or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
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
