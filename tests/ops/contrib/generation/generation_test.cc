// Models that all operators which generate tokens refuse alike.
#include <string>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/ops/contrib/generation/table_decoder.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(GenerationTest, RefusesWhatItCannotDo) {
  const auto error = [](const std::string& model, const Feeds& feeds) {
    return RunText(model, feeds).status();
  };
  ExpectError(error(TableModel("GreedySearch"), TableFeeds(1)), kInvalid,
              "max_length is 1, it must be more than the 1 tokens");
  ExpectError(error(TableModel("GreedySearch"), TableFeeds(1 << 20)), kInvalid, "at most 16384");
  ExpectError(error(TableModel("GreedySearch", ", model_type: int = 1"), TableFeeds(4)),
              kUnimplemented, "model_type 1");
  ExpectError(error(TableModel("GreedySearch", ", vocab_size: int = 5"), TableFeeds(4)), kInvalid,
              "vocab_size is 5");
  ExpectError(error(TableModel("Sampling", ", presence_penalty: float = 0.5"), TableFeeds(4)),
              kUnimplemented, "presence_penalty");
  const std::string beams = ", , beams, beams";
  ExpectError(error(TableModel("BeamSearch", "", beams), TableFeeds(4, 0)), kInvalid,
              "num_beams is 0");
  ExpectError(error(TableModel("BeamSearch", ", model_type: int = 3", beams), TableFeeds(4)),
              kInvalid, "there is no model_type 3");
  ExpectError(error(TableModel("BeamSearch", ", model_type: int = 1", beams), TableFeeds(4)),
              kInvalid, "the graphs encoder and decoder must be there");
  const std::string no_shape =
      absl::StrReplaceAll(kTableDecoder, {{"float[2,b,1,p,1] past_0", "float past_0"}});
  ExpectError(error(TableModel("GreedySearch", "", "", no_shape), TableFeeds(4)), kInvalid,
              "must declare a type (2, batch, heads, past, head size)");
  const std::string shared = absl::StrReplaceAll(
      kTableDecoder, {{"past_0) =>", "past_0, int32[one] past_sequence_length) =>"}});
  ExpectError(error(TableModel("GreedySearch", "", "", shared), TableFeeds(4)), kUnimplemented,
              "share their buffer");
  const std::string flat = absl::StrReplaceAll(
      kTableDecoder, {{"logits = Gather(table, input_ids)", "logits = Identity(table)"}});
  ExpectError(error(TableModel("GreedySearch", "", "", flat), TableFeeds(4)), kInvalid,
              "the logits are float[4,4]");
}

}  // namespace
}  // namespace onnxcmp::testing
