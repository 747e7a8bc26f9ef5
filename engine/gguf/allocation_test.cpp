// How much memory opening a file asks for: never more than a small multiple of the file, whatever
// counts and lengths it states. The program's own operator new counts; malloc stays the system's
// (or the sanitizer's). Not inlined, since g++ 12 would take the free() for a mismatch of a new.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <random>

#include "engine/core/error.h"
#include "engine/gguf/read_everything.h"

namespace {
std::size_t largest = 0;  // single request since the last reset
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  largest = std::max(largest, size);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort asks this way; a sanitizer's own version would not match the delete below.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  largest = std::max(largest, size);
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace assay {
namespace {

// Per byte of the file: a tensor's description takes 33 bytes or more there and 144 here, a key 14
// and 64. The constant is for messages and iostreams.
constexpr std::size_t kPerByte = 8;
constexpr std::size_t kBesides = 4096;

// The largest request while a file is opened and everything in it is asked for.
std::size_t largest_request(std::span<const std::byte> bytes) {
  largest = 0;
  try {
    read_everything(GgufFile::from_memory(bytes, "m"));
  } catch (const Error&) {
  }
  return largest;
}

TEST(Allocation, TheCounterCounts) {
  largest = 0;
  std::vector<char> block(123456);
  EXPECT_GE(largest, 123456u);
}

TEST(Allocation, AbsurdCountsAskForNothing) {
  for (const std::uint64_t count : {~std::uint64_t{0}, std::uint64_t{1} << 63,
                                    std::uint64_t{1} << 40, std::uint64_t{1000000}}) {
    ByteWriter tensors, pairs, array, key;
    tensors.header(count, 0).zeros(100);
    pairs.header(0, count).zeros(100);
    array.header(0, 1).string("k").type(GgufType::kArray).type(GgufType::kString).u64(count);
    key.header(0, 1).u64(count).zeros(100);
    for (const ByteWriter* w : {&tensors, &pairs, &array, &key}) {
      EXPECT_LE(largest_request(w->bytes()), kBesides) << count;
    }
  }
}

TEST(Allocation, SpoiltFilesStayWithinTheirSize) {
  const std::vector<std::byte> whole = small_file();
  std::mt19937_64 random(11);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = whole;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) {
      // Mostly the upper bytes of lengths and counts, or a length made huge.
      bytes[random() % 420] = static_cast<std::byte>(random() % 2 == 0 ? 0xff : random());
    }
    ASSERT_LE(largest_request(bytes), kPerByte * bytes.size() + kBesides) << "round " << round;
  }
}

TEST(Allocation, LargeFilesOfTheSmallestPartsStayWithinTheirSize) {
  ByteWriter pairs;
  pairs.header(0, 20000);
  for (int i = 0; i < 20000; ++i) {
    pairs.string(std::to_string(i)).type(GgufType::kU8).u8(1);
  }
  EXPECT_LE(largest_request(pairs.bytes()), kPerByte * pairs.bytes().size() + kBesides);

  ByteWriter array;
  array.header(0, 1).string("k").type(GgufType::kArray).type(GgufType::kU8).u64(1 << 20);
  array.zeros(1 << 20);
  EXPECT_LE(largest_request(array.bytes()), kPerByte * array.bytes().size() + kBesides);

  ByteWriter tensors;
  tensors.header(20000, 0);
  for (std::uint64_t i = 0; i < 20000; ++i) tensors.tensor(std::to_string(i), {1}, 0, 32 * i);
  tensors.pad_to(32).zeros(20000 * 32);
  EXPECT_LE(largest_request(tensors.bytes()), kPerByte * tensors.bytes().size() + kBesides);
}

}  // namespace
}  // namespace assay
