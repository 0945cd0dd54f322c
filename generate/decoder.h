// A decoder that runs step by step: what it is fed, and the states that it carries on.
#ifndef ONNXCMP_GENERATE_DECODER_H_
#define ONNXCMP_GENERATE_DECODER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "generate/roles.h"

namespace onnxcmp {

// Tokens for the next positions of every row, in row-major order. Those that do not count are
// padding: the mask has 0 there.
struct TokenBlock {
  int64_t length() const { return rows == 0 ? 0 : static_cast<int64_t>(ids.size()) / rows; }

  int64_t rows = 0;
  std::vector<int64_t> ids;
  std::vector<bool> counts;
};

// So many tokens of each row from a position on.
TokenBlock PartOf(const TokenBlock& block, int64_t begin, int64_t count);
// The tokens of both, row by row.
TokenBlock Appended(const TokenBlock& before, const TokenBlock& added);

class Decoder {
 public:
  // Runs the model; the outputs in the graph's order.
  using RunModel = std::function<absl::StatusOr<std::vector<Value>>(const Feeds& feeds)>;

  // `given`: GivenValues() of all rows. The graph must outlive the object.
  Decoder(const Graph& graph, DecoderRoles roles, RunModel run, Feeds given)
      : graph_(graph), roles_(std::move(roles)), run_(std::move(run)), given_(std::move(given)) {}

  const DecoderRoles& roles() const { return roles_; }
  // True if the declared shape of the tokens has room for one of each row.
  bool one_at_a_time() const;
  // The number of positions of a run, if there is but one.
  std::optional<int64_t> fixed_length() const;
  const Graph& graph() const { return graph_; }

  struct Start {
    int64_t shift = 0;  // all positions are so much more than they would be
    // Slots of buffers whose length is open, and of caches that else grow but may be buffers; 0: as
    // many as tokens are read, and these caches grow.
    int64_t slots = 0;
    bool with_past = false;  // a merged decoder uses its cache from the first run on
  };
  // Starts anew with these of the given rows. InvalidArgument, with the input's name, if the
  // model's batch is another.
  absl::Status Restart(const std::vector<int64_t>& rows, const Start& start);
  absl::Status Restart(const std::vector<int64_t>& rows) { return Restart(rows, start_); }
  // Goes on after the tokens that the model of the prompt has read, with the states it gave.
  void Continue(const Decoder& prompt);

  // The feeds of a step with these tokens. InvalidArgument, with the input's name, for a token
  // beyond the vocabulary, for more positions than there is room for, for padding without a mask.
  absl::StatusOr<Feeds> FeedsOf(const TokenBlock& block) const;
  // Runs on FeedsOf(block), and keeps the states. The logits are [rows, positions, vocabulary], the
  // positions being those of the block or the last alone. InvalidArgument, with the output's name,
  // for states that do not grow by the block.
  absl::StatusOr<Tensor> Run(const TokenBlock& block, const Feeds& feeds);
  // Both; token after token if the model takes one at a time.
  absl::StatusOr<Tensor> Step(const TokenBlock& block);

  // The logits among the outputs of a run on so many positions of each row, as above.
  absl::StatusOr<Tensor> LogitsOf(const std::vector<Value>& outputs, int64_t rows,
                                  int64_t positions) const;

  // The same of a run on these feeds, which changes nothing here.
  absl::StatusOr<Tensor> LogitsOn(const Feeds& feeds, int64_t rows, int64_t positions) const;

  // The feeds of one run on all tokens so far, without a past.
  absl::StatusOr<Feeds> WholeFeeds() const;
  const TokenBlock& tokens() const { return tokens_; }  // so far
  // By name of the input: states after the last step.
  const absl::flat_hash_map<std::string, Value>& states() const { return states_; }

 private:
  absl::Status Check(const TokenBlock& block) const;
  // The value of an input that follows from tokens and positions alone. `all`: tokens up to and
  // with the block, of which the model is fed the last `added`.
  absl::StatusOr<Value> ControlOf(const ValueInfo& input, Role role, const TokenBlock& all,
                                  int64_t added) const;
  absl::StatusOr<Value> MaskOf(const ValueInfo& input, const TokenBlock& all, int64_t added) const;
  // The axis of a buffer that has as many slots as this start says.
  std::optional<size_t> SlotsOf(const StatePair& state) const;
  absl::StatusOr<Value> FirstState(const ValueInfo& input, const StatePair& state) const;
  absl::Status TakeState(const StatePair& state, const Value& value, int64_t added);
  const ValueInfo& InputNamed(const std::string& name) const;

  const Graph& graph_;
  const DecoderRoles roles_;
  const RunModel run_;
  Feeds given_;
  Feeds given_rows_;   // of the rows of this start
  TokenBlock tokens_;  // so far
  Start start_;
  absl::flat_hash_map<std::string, Value> states_;  // by name of the input
};

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_DECODER_H_
