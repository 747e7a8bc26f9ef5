// Runs a fuzz target without libFuzzer, for compilers that have none: the corpus as it is, then
// mutations of it from a fixed seed. Takes what libFuzzer takes: `program [-runs=N] FOLDER...`.
//
// It is a smoke test that works everywhere; it follows no coverage. A crash names the input by its
// number, and the same command repeats it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

std::vector<Input> read_corpus(const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Input> corpus;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

// One to eight changes: a bit, a byte, a run of equal bytes, a cut, a piece of another input.
Input mutated(const std::vector<Input>& corpus, std::mt19937_64& random) {
  Input input = corpus[random() % corpus.size()];
  const std::uint64_t changes = 1 + random() % 8;
  for (std::uint64_t i = 0; i < changes; ++i) {
    if (input.empty()) input.push_back(0);
    const std::size_t at = random() % input.size();
    const std::size_t run = std::min<std::size_t>(1 + random() % 8, input.size() - at);
    const auto begin = input.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 6) {
      case 0:
        input[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
        break;
      case 1:
        input[at] = static_cast<std::uint8_t>(random());
        break;
      case 2:
        std::fill_n(begin, run, static_cast<std::uint8_t>(random() % 2 == 0 ? 0xff : 0));
        break;
      case 3:
        input.resize(at);
        break;
      case 4:
        input.erase(begin, begin + static_cast<std::ptrdiff_t>(run));
        break;
      default: {
        const Input& other = corpus[random() % corpus.size()];
        if (other.empty()) break;
        const std::size_t from = random() % other.size();
        const std::size_t size = std::min<std::size_t>(1 + random() % 64, other.size() - from);
        const auto piece = other.begin() + static_cast<std::ptrdiff_t>(from);
        input.insert(begin, piece, piece + static_cast<std::ptrdiff_t>(size));
      }
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  long runs = 10000;
  std::vector<std::string> folders;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("-runs=")) runs = std::atol(word.c_str() + 6);
    if (!word.starts_with("-")) folders.push_back(word);
  }
  const std::vector<Input> corpus = read_corpus(folders);
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: no inputs; name a folder that holds some\n", argv[0]);
    return 2;
  }
  for (const Input& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());
  std::mt19937_64 random(1);
  for (long run = 0; run < runs; ++run) {
    const Input input = mutated(corpus, random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu inputs and %ld mutations ran\n", corpus.size(), runs);
  return 0;
}
