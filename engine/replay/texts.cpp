#include "engine/replay/texts.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/core/error.h"
#include "engine/tokenizer/tokenizer.h"

namespace assay::replay {
namespace {

constexpr std::string_view kTexts[] = {
    // A story.
    "The ferry came in late that evening, and by the time the ropes were made fast the whole quay "
    "smelt of tar and wet rope. Old Harriet, who had sold apples there for thirty years, was the "
    "first to see that the captain did not come ashore. \"He is counting,\" she said to the boy "
    "who "
    "carried her baskets. \"When a man stays aboard to count, he has either too much or too "
    "little.\" "
    "The boy laughed, but he put the basket down and watched the lamp move behind the cabin "
    "window, "
    "to and fro, to and fro, until the rain began again and there was nothing more to be seen.",
    // Advice.
    "To keep bread for a week, let it cool before you cover it, and do not cut it on the first "
    "day. "
    "A cloth is better than a box, and a stone jar is better than both. If the crust grows hard, "
    "sprinkle it with water and put it into a hot oven for five minutes. Bread that has turned "
    "sour "
    "should not be thrown away: cut it into cubes, dry them slowly, and keep them for soup. Never "
    "put warm bread beside apples, for each will take the taste of the other.",
    // A sermon.
    "And it came to pass in those days that the river rose over the fields, and the people went up "
    "to the hills with their children and their cattle. And they said one to another, Who shall "
    "give us back our seed? But an old man stood among them and said, Behold, the water brings "
    "earth as well as sorrow; he that weeps upon the hill shall sow in the valley. So they waited "
    "until the seventh day, and the water went down, and the ground was black and good.",
    // An explanation.
    "A queue is a list that is used at both ends. New items are put in at the back and taken out "
    "at "
    "the front, so that the one which has waited longest is served first. If items arrive faster "
    "than they are served, the queue grows without limit; if they arrive at the same rate on "
    "average, it may still grow, because the server cannot save up the time in which it was idle. "
    "For this reason a system should be planned for less than its full load, and whoever measures "
    "it should look at the longest wait and not only at the mean.",
    // A letter.
    "My dear cousin, I was very glad to have your letter, and I should have answered it sooner if "
    "my "
    "aunt had not been taken ill on the very day it came. She is better now, and talks of nothing "
    "but the ball at which you were to have danced with Mr. Ellison. I told her that he is gone to "
    "London and will not return before the spring, upon which she sighed, and said that young men "
    "had more patience in her time. You must come to us at Easter, and bring your sister with you; "
    "the garden will be in flower, and there is a new walk along the river.",
    // A conversation.
    "\"How far is it to the lighthouse?\" asked the stranger. \"Two miles by the road,\" said the "
    "fisherman, \"and one by the sand, but you have not the time for the sand.\" \"Why not?\" "
    "\"Because "
    "the sea has it at five.\" The stranger looked at his watch, and then at the long grey beach, "
    "and then at the fisherman, who was mending his net and did not look up. \"And if I ran?\" "
    "\"Then "
    "you would be tired when it came,\" said the fisherman.",
};

}  // namespace

std::vector<std::vector<std::int32_t>> text_tokens(const GgufFile& file, int most) {
  const std::optional<Tokenizer> tokenizer = Tokenizer::from_gguf(file);
  if (!tokenizer) {
    throw Error(ErrorKind::kUsage,
                file.name() + ": the file has no vocabulary; name a model that has one");
  }
  std::vector<std::vector<std::int32_t>> pieces;
  for (const std::string_view text : kTexts) {
    const std::vector<std::int32_t> tokens = tokenizer->encode(text, false);
    const auto length = static_cast<std::size_t>(most);
    for (std::size_t first = 0; first < tokens.size(); first += length) {
      const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(first);
      const std::size_t count = std::min(length, tokens.size() - first);
      pieces.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count));
    }
  }
  return pieces;
}

}  // namespace assay::replay
