#include "engine/worker/line_reader.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <string>
#include <thread>

namespace assay {
namespace {

using Result = LineReader::Result;

// A pipe that receives `text` and is then closed.
class LineReaderTest : public testing::Test {
 protected:
  int pipe_with(const std::string& text) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    read_end_ = ends[0];
    writer_ = std::thread([end = ends[1], text] {
      std::size_t done = 0;
      while (done < text.size()) {
        const ssize_t wrote = ::write(end, text.data() + done, text.size() - done);
        if (wrote <= 0) break;
        done += static_cast<std::size_t>(wrote);
      }
      ::close(end);
    });
    return read_end_;
  }
  void TearDown() override {
    writer_.join();
    ::close(read_end_);
  }
  int read_end_ = -1;
  std::thread writer_;
};

TEST_F(LineReaderTest, LinesComeOneByOneWithoutTheirNewline) {
  LineReader reader(pipe_with("one\n\nthree\n"));
  std::string line;
  EXPECT_EQ(reader.next(line), Result::kLine);
  EXPECT_EQ(line, "one");
  EXPECT_EQ(reader.next(line), Result::kLine);
  EXPECT_EQ(line, "");
  EXPECT_EQ(reader.next(line), Result::kLine);
  EXPECT_EQ(line, "three");
  EXPECT_EQ(reader.next(line), Result::kEnd);
}

TEST_F(LineReaderTest, ALineLongerThanThePipeIsWhole) {
  const std::string longest(300000, 'x');
  LineReader reader(pipe_with(longest + "\nend\n"), longest.size());
  std::string line;
  EXPECT_EQ(reader.next(line), Result::kLine);
  EXPECT_EQ(line, longest);
  EXPECT_EQ(reader.next(line), Result::kLine);
  EXPECT_EQ(line, "end");
}

TEST_F(LineReaderTest, ATooLongLineIsSkippedWholeAndTheNextOneRead) {
  const std::string too_long(300001, 'x');
  LineReader reader(pipe_with(too_long + "\nnext\n"), too_long.size() - 1);
  std::string line;
  EXPECT_EQ(reader.next(line), Result::kTooLong);
  EXPECT_EQ(line, "");
  EXPECT_EQ(reader.next(line), Result::kLine);
  EXPECT_EQ(line, "next");
}

TEST_F(LineReaderTest, ALimitOfAFewBytesIsExact) {
  LineReader reader(pipe_with("1234\n12345\n"), 4);
  std::string line;
  EXPECT_EQ(reader.next(line), Result::kLine);
  EXPECT_EQ(line, "1234");
  EXPECT_EQ(reader.next(line), Result::kTooLong);
  EXPECT_EQ(reader.next(line), Result::kEnd);
}

TEST_F(LineReaderTest, ALastLineWithoutNewlineIsDropped) {
  LineReader reader(pipe_with("whole\nhal"));
  std::string line;
  EXPECT_EQ(reader.next(line), Result::kLine);
  EXPECT_EQ(reader.next(line), Result::kEnd);
}

}  // namespace
}  // namespace assay
