#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/common/movement/movement.h"
#include "ops/contrib/generation/generation.h"
#include "ops/controlflow/subgraph.h"

namespace onnxcmp {
namespace {

absl::StatusOr<Tensor> IntTensor(const KernelContext& ctx, int64_t rows,
                                 const std::vector<int32_t>& values) {
  const int64_t columns = rows == 0 ? 0 : static_cast<int64_t>(values.size()) / rows;
  OC_ASSIGN_OR_RETURN(Tensor tensor, ctx.Allocate(DType::kInt32, {rows, columns}));
  std::copy(values.begin(), values.end(), tensor.mutable_data<int32_t>());
  return tensor;
}

// Entries `indices` of an axis.
absl::StatusOr<Tensor> Entries(const KernelContext& ctx, const Tensor& x, int axis,
                               absl::Span<const int64_t> indices) {
  OC_ASSIGN_OR_RETURN(const Tensor from, ctx.Contiguous(x));
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = static_cast<int64_t>(indices.size());
  OC_ASSIGN_OR_RETURN(Tensor to, ctx.Allocate(x.dtype(), shape));
  const absl::Span<const int64_t> dims = x.shape();
  const int64_t outer = *NumElements(dims.first(static_cast<size_t>(axis)));
  const int64_t block = *NumElements(dims.subspan(static_cast<size_t>(axis) + 1));
  std::vector<int64_t> offsets(indices.begin(), indices.end());
  for (int64_t& offset : offsets) offset *= block;
  GatherBlocks(from, outer, x.dim(axis) * block, offsets, block, ctx.pool(), &to);
  return to;
}

// The tensors of a subgraph's outputs from `first` on, their rows along `axis` reordered.
absl::Status Reorder(const KernelContext& ctx, std::vector<Value>& states, int axis,
                     absl::Span<const int64_t> parents) {
  for (Value& state : states) {
    if (!state.is_tensor() || state.tensor().rank() <= axis ||
        state.tensor().dim(axis) != static_cast<int64_t>(parents.size())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a state is ", state.TypeString(), ", but there are ", parents.size(), " sequences"));
    }
    OC_ASSIGN_OR_RETURN(state, Entries(ctx, state.tensor(), axis, parents));
  }
  return absl::OkStatus();
}

// The last position of logits (rows, positions, vocabulary).
absl::StatusOr<Tensor> LastLogits(const Value& value, int64_t rows, int64_t vocabulary) {
  const bool fits = value.is_tensor() && value.tensor().rank() == 3 &&
                    value.tensor().dim(0) == rows && value.tensor().dim(1) > 0 &&
                    value.tensor().dim(2) > 0 && IsFloatingPoint(value.tensor().dtype());
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("the logits are ", value.TypeString(),
                                                   ", but there are ", rows, " sequences"));
  }
  const Tensor& logits = value.tensor();
  if (vocabulary > 0 && logits.dim(2) != vocabulary) {
    return absl::InvalidArgumentError(
        absl::StrCat("vocab_size is ", vocabulary, ", but the logits are ", logits.TypeString()));
  }
  return logits.Strided({rows, logits.dim(2)}, {logits.strides()[0], logits.strides()[2]},
                        logits.offset() + (logits.dim(1) - 1) * logits.strides()[1]);
}

// The first past of a decoder, for `count` inputs from `first` on: none of `rows` sequences, (rows,
// heads, 0, size of a head), with rank 5 of keys and values together, (2, rows, ...). Heads and
// their size are what the decoder declares.
absl::Status AddEmptyPast(const KernelContext& ctx, const Graph& decoder, size_t first,
                          size_t count, size_t rank, int64_t rows, std::vector<Value>& inputs) {
  for (size_t i = first; i < first + count; ++i) {
    const TypeInfo& type = decoder.inputs[i].type;
    const auto dim = [&](size_t from_back) -> std::optional<int64_t> {
      if (!type.shape.has_value() || type.shape->size() != rank) return std::nullopt;
      return (*type.shape)[rank - from_back].value;
    };
    if (!dim(3).has_value() || !dim(1).has_value() || !IsFloatingPoint(type.dtype)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the decoder's input ", decoder.inputs[i].name, " must declare a type (",
                       rank == 5 ? "2, " : "", "batch, heads, past, head size)"));
    }
    Shape shape = {rows, *dim(3), 0, *dim(1)};
    if (rank == 5) shape.insert(shape.begin(), 2);
    OC_ASSIGN_OR_RETURN(Tensor past, ctx.Allocate(type.dtype, shape));
    inputs.emplace_back(std::move(past));
  }
  return absl::OkStatus();
}

struct InputIds {
  int64_t batch, length;
  std::vector<int64_t> tokens, mask;  // no mask if the node has none
};

absl::StatusOr<InputIds> ReadInputIds(const KernelContext& ctx, int mask_input) {
  const Tensor& ids = ctx.Input(0);
  if (ids.rank() != 2 || ids.dtype() != DType::kInt32 || ids.num_elements() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_ids must be int32 of (batch, length), they are ", ids.TypeString()));
  }
  InputIds result{ids.dim(0), ids.dim(1), {}, {}};
  OC_ASSIGN_OR_RETURN(result.tokens, ctx.IntsInput(0));
  if (ctx.HasInput(mask_input)) {
    if (ctx.Input(mask_input).shape() != ids.shape()) {
      return absl::InvalidArgumentError(absl::StrCat("input_ids are ", ids.TypeString(),
                                                     ", the attention mask is ",
                                                     ctx.Input(mask_input).TypeString()));
    }
    OC_ASSIGN_OR_RETURN(result.mask, ctx.IntsInput(mask_input));
  }
  return result;
}

// Position ids count the tokens that are no padding; padding has position 0. The mask is 1 for each
// token that is none, if the node has none.
class GptTokenModel : public TokenModel {
 public:
  struct Parts {
    SubgraphId decoder;
    std::optional<SubgraphId> init_decoder;
    GenerationAttributes attributes;
    int mask_input;
  };

  explicit GptTokenModel(const Parts& parts) : parts_(parts) {}

  absl::StatusOr<TokenRows> Start(KernelContext& ctx, int64_t beams) override {
    OC_ASSIGN_OR_RETURN(const InputIds ids, ReadInputIds(ctx, parts_.mask_input));
    beams_ = beams;
    TokenRows rows;
    for (int64_t b = 0; b < ids.batch; ++b) {
      std::vector<int32_t> row, mask, positions;
      int32_t next = 0;
      for (int64_t s = 0; s < ids.length; ++s) {
        const auto at = static_cast<size_t>(b * ids.length + s);
        const bool padding = ids.tokens[at] == parts_.attributes.pad;
        row.push_back(static_cast<int32_t>(ids.tokens[at]));
        mask.push_back(ids.mask.empty() ? (padding ? 0 : 1) : static_cast<int32_t>(ids.mask[at]));
        positions.push_back(padding ? 0 : next++);
      }
      for (int64_t beam = 0; beam < beams; ++beam) {
        rows.push_back(row);
        masks_.push_back(mask);
        positions_.push_back(positions);
        next_position_.push_back(next);
      }
    }
    return rows;
  }

  absl::StatusOr<Tensor> Step(KernelContext& ctx, const TokenRows& rows,
                              absl::Span<const int64_t> parents) override {
    const auto count = static_cast<int64_t>(rows.size());
    const bool first = past_.empty();
    const SubgraphId subgraph =
        first && parts_.init_decoder.has_value() ? *parts_.init_decoder : parts_.decoder;
    std::vector<int32_t> ids, positions, masks;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (first) {
        ids.insert(ids.end(), rows[i].begin(), rows[i].end());
        positions.insert(positions.end(), positions_[i].begin(), positions_[i].end());
      } else {
        ids.push_back(rows[i].back());
        positions.push_back(next_position_[i]++);
        masks_[i].push_back(1);
      }
      masks.insert(masks.end(), masks_[i].begin(), masks_[i].end());
    }
    std::vector<Value> inputs(3);
    OC_ASSIGN_OR_RETURN(inputs[0], IntTensor(ctx, count, ids));
    OC_ASSIGN_OR_RETURN(inputs[1], IntTensor(ctx, count, positions));
    OC_ASSIGN_OR_RETURN(inputs[2], IntTensor(ctx, count, masks));
    if (first) {
      const Graph& decoder = ctx.SubgraphOf(subgraph);
      OC_RETURN_IF_ERROR(
          AddEmptyPast(ctx, decoder, 3, decoder.outputs.size() - 1, /*rank=*/5, count, inputs));
    } else {
      if (beams_ > 1) OC_RETURN_IF_ERROR(Reorder(ctx, past_, 1, parents));
      for (Value& state : past_) inputs.push_back(std::move(state));
    }
    OC_ASSIGN_OR_RETURN(std::vector<Value> outputs,
                        ctx.RunSubgraph(subgraph, std::move(inputs), absl::StrCat(step_++)));
    past_.assign(std::make_move_iterator(outputs.begin() + 1),
                 std::make_move_iterator(outputs.end()));
    return LastLogits(outputs[0], count, parts_.attributes.vocabulary);
  }

 private:
  const Parts parts_;
  TokenRows masks_, positions_;
  std::vector<int32_t> next_position_;
  std::vector<Value> past_;
  int64_t beams_ = 1;
  int step_ = 0;
};

// The first step is the encoder's, which yields logits of the tokens to begin with too; or the
// encoder yields the cross attention's states alone, and every step is the decoder's.
class EncoderTokenModel : public TokenModel {
 public:
  struct Parts {
    SubgraphId encoder;
    SubgraphId decoder;
    size_t layers;
    bool takes_hidden_states;
    bool takes_whole_sequences;
    bool encoder_decodes;
    GenerationAttributes attributes;
    EncoderInputs inputs;

    bool encodes_tokens() const { return inputs.mask >= 0; }
  };

  explicit EncoderTokenModel(const Parts& parts) : parts_(parts) {}

  absl::StatusOr<TokenRows> Start(KernelContext& ctx, int64_t beams) override {
    beams_ = beams;
    if (parts_.encodes_tokens()) {
      OC_RETURN_IF_ERROR(ReadTokens(ctx));
    } else {
      encoder_input_ = ctx.Input(0);
      if (encoder_input_.rank() != 3 || encoder_input_.dim(0) == 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("the features must be of (batch, features, length), they are ",
                         encoder_input_.TypeString()));
      }
    }
    const int64_t batch = encoder_input_.dim(0);
    TokenRows entries(static_cast<size_t>(batch), {parts_.attributes.start});
    if (parts_.inputs.decoder_ids >= 0 && ctx.HasInput(parts_.inputs.decoder_ids)) {
      OC_ASSIGN_OR_RETURN(entries, ReadDecoderIds(ctx, batch));
    } else if (parts_.attributes.start < 0) {
      return absl::InvalidArgumentError("decoder_start_token_id must be given");
    }
    std::vector<int32_t> ids;
    TokenRows rows;
    for (int64_t b = 0; b < batch; ++b) {
      const std::vector<int32_t>& entry = entries[static_cast<size_t>(b)];
      ids.insert(ids.end(), entry.begin(), entry.end());
      rows.insert(rows.end(), static_cast<size_t>(beams), entry);
      first_parents_.insert(first_parents_.end(), static_cast<size_t>(beams), b);
    }
    OC_ASSIGN_OR_RETURN(decoder_ids_, IntTensor(ctx, batch, ids));
    return rows;
  }

  absl::StatusOr<Tensor> Step(KernelContext& ctx, const TokenRows& rows,
                              absl::Span<const int64_t> parents) override {
    if (step_++ == 0) {
      OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, Encode(ctx));
      if (parts_.encoder_decodes) {
        OC_ASSIGN_OR_RETURN(Tensor logits, LastLogits(outputs[0], encoder_input_.dim(0),
                                                      parts_.attributes.vocabulary));
        return Spread(ctx, std::move(logits));
      }
    }
    const auto count = static_cast<int64_t>(rows.size());
    std::vector<int32_t> ids;
    for (const std::vector<int32_t>& row : rows) {
      ids.insert(ids.end(), parts_.takes_whole_sequences ? row.begin() : row.end() - 1, row.end());
    }
    std::vector<Value> inputs(1);
    OC_ASSIGN_OR_RETURN(inputs[0], IntTensor(ctx, count, ids));
    if (parts_.encodes_tokens()) inputs.emplace_back(encoder_mask_);
    if (parts_.takes_hidden_states) inputs.emplace_back(hidden_states_);
    if (beams_ > 1) OC_RETURN_IF_ERROR(Reorder(ctx, self_, 0, parents));
    for (Value& state : self_) inputs.push_back(std::move(state));
    inputs.insert(inputs.end(), cross_.begin(), cross_.end());
    OC_ASSIGN_OR_RETURN(
        std::vector<Value> outputs,
        ctx.RunSubgraph(parts_.decoder, std::move(inputs), absl::StrCat("decoder ", step_ - 1)));
    self_.assign(std::make_move_iterator(outputs.begin() + 1),
                 std::make_move_iterator(outputs.begin() + 1 +
                                         static_cast<std::ptrdiff_t>(2 * parts_.layers)));
    return LastLogits(outputs[0], count, parts_.attributes.vocabulary);
  }

 private:
  // The mask is 0 for padding on the left, if the node has none.
  absl::Status ReadTokens(const KernelContext& ctx) {
    OC_ASSIGN_OR_RETURN(const InputIds ids, ReadInputIds(ctx, parts_.inputs.mask));
    const std::vector<int32_t> tokens(ids.tokens.begin(), ids.tokens.end());
    std::vector<int32_t> mask(ids.mask.begin(), ids.mask.end());
    if (mask.empty()) {
      bool inside = false;
      for (size_t i = 0; i < tokens.size(); ++i) {
        if (i % static_cast<size_t>(ids.length) == 0) inside = false;
        inside = inside || tokens[i] != parts_.attributes.pad;
        mask.push_back(inside ? 1 : 0);
      }
    }
    OC_ASSIGN_OR_RETURN(encoder_input_, IntTensor(ctx, ids.batch, tokens));
    OC_ASSIGN_OR_RETURN(encoder_mask_, IntTensor(ctx, ids.batch, mask));
    return absl::OkStatus();
  }

  absl::StatusOr<TokenRows> ReadDecoderIds(const KernelContext& ctx, int64_t batch) const {
    const Tensor& ids = ctx.Input(parts_.inputs.decoder_ids);
    if (ids.rank() != 2 || ids.dim(0) != batch || ids.dim(1) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("decoder_input_ids are ", ids.TypeString(), " for a batch of ", batch));
    }
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> tokens,
                        ctx.IntsInput(parts_.inputs.decoder_ids));
    TokenRows rows;
    for (int64_t b = 0; b < batch; ++b) {
      rows.emplace_back(tokens.begin() + b * ids.dim(1), tokens.begin() + (b + 1) * ids.dim(1));
    }
    return rows;
  }

  // A result of the encoder, from batch entries to beams.
  absl::StatusOr<Tensor> Spread(const KernelContext& ctx, const Value& value) const {
    const int64_t batch = encoder_input_.dim(0);
    if (!value.is_tensor() || value.tensor().rank() == 0 || value.tensor().dim(0) != batch) {
      return absl::InvalidArgumentError(
          absl::StrCat("the encoder yields ", value.TypeString(), " for a batch of ", batch));
    }
    return Entries(ctx, value.tensor(), 0, first_parents_);
  }

  // Runs the encoder and keeps what the decoder needs of it.
  absl::StatusOr<std::vector<Value>> Encode(KernelContext& ctx) {
    std::vector<Value> inputs = {encoder_input_};
    if (parts_.encodes_tokens()) inputs.emplace_back(encoder_mask_);
    if (parts_.encoder_decodes) inputs.emplace_back(decoder_ids_);
    OC_ASSIGN_OR_RETURN(std::vector<Value> outputs,
                        ctx.RunSubgraph(parts_.encoder, std::move(inputs), "encoder"));
    if (parts_.encodes_tokens()) {
      OC_ASSIGN_OR_RETURN(encoder_mask_, Spread(ctx, encoder_mask_));
    }
    const size_t states = 2 * parts_.layers;
    if (parts_.encoder_decodes) {
      OC_ASSIGN_OR_RETURN(hidden_states_, Spread(ctx, outputs[1]));
      for (size_t i = 0; i < states; ++i) {
        OC_ASSIGN_OR_RETURN(Tensor state, Spread(ctx, outputs[2 + i]));
        self_.emplace_back(std::move(state));
      }
    } else {
      const Graph& decoder = ctx.SubgraphOf(parts_.decoder);
      OC_RETURN_IF_ERROR(AddEmptyPast(ctx, decoder, decoder.inputs.size() - 2 * states, states,
                                      /*rank=*/4, static_cast<int64_t>(first_parents_.size()),
                                      self_));
    }
    for (size_t i = outputs.size() - states; i < outputs.size(); ++i) {
      OC_ASSIGN_OR_RETURN(Tensor state, Spread(ctx, outputs[i]));
      cross_.emplace_back(std::move(state));
    }
    return outputs;
  }

  const Parts parts_;
  std::vector<int64_t> first_parents_;  // the batch entry of each row
  Tensor encoder_input_, encoder_mask_, decoder_ids_, hidden_states_;
  std::vector<Value> self_, cross_;
  int64_t beams_ = 1;
  int step_ = 0;
};

bool HasName(const Graph& graph, size_t input, absl::string_view name) {
  return input < graph.inputs.size() && graph.inputs[input].name == name;
}

}  // namespace

absl::StatusOr<TokenModelMaker> GptModel(const KernelInit& node,
                                         const GenerationAttributes& attributes, int mask_input) {
  GptTokenModel::Parts parts{node.Subgraph("decoder"), std::nullopt, attributes, mask_input};
  if (node.Has("init_decoder")) parts.init_decoder = node.Subgraph("init_decoder");
  for (const char* name : {"decoder", "init_decoder"}) {
    const Graph* graph = SubgraphAttribute(node, name);
    if (graph == nullptr) continue;
    if (graph->outputs.size() < 2 || graph->inputs.size() < graph->outputs.size() + 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("the graph ", name, " has ", graph->inputs.size(), " inputs and ",
                       graph->outputs.size(), " outputs, which is no decoder with a past"));
    }
    if (absl::Status bad = CheckSubgraph(node, name, static_cast<int>(graph->outputs.size()) + 2,
                                         static_cast<int>(graph->outputs.size()));
        !bad.ok()) {
      return absl::UnimplementedError(absl::StrCat(
          bad.message(), ": a past and a present that share their buffer are not supported"));
    }
  }
  return [parts] { return std::make_unique<GptTokenModel>(parts); };
}

absl::StatusOr<TokenModelMaker> EncoderModel(const KernelInit& node,
                                             const GenerationAttributes& attributes,
                                             const EncoderInputs& inputs) {
  const Graph* encoder = SubgraphAttribute(node, "encoder");
  const Graph* decoder = SubgraphAttribute(node, "decoder");
  if (encoder == nullptr || decoder == nullptr) {
    return absl::InvalidArgumentError("the graphs encoder and decoder must be there");
  }
  const size_t masks = inputs.mask >= 0 ? 1 : 0;
  const bool hidden = HasName(*decoder, 1 + masks, "encoder_hidden_states");
  const size_t layers = decoder->outputs.size() / 2;
  const bool decodes = encoder->inputs.size() == 2 + masks;
  if ((!decodes && encoder->inputs.size() != 1 + masks) ||
      encoder->outputs.size() != (decodes ? 2 + 4 * layers : 2 * layers) ||
      decoder->outputs.size() != 1 + 2 * layers || layers == 0 || (hidden && !decodes) ||
      decoder->inputs.size() != (hidden ? 2 : 1) + masks + 4 * layers) {
    return absl::UnimplementedError(
        absl::StrCat("an encoder of ", encoder->inputs.size(), " inputs and ",
                     encoder->outputs.size(), " outputs with a decoder of ", decoder->inputs.size(),
                     " inputs and ", decoder->outputs.size(), " outputs"));
  }
  const TypeInfo& ids = decoder->inputs[0].type;
  const bool one_token = ids.shape.has_value() && ids.shape->size() == 2 &&
                         (*ids.shape)[1].value == std::optional<int64_t>(1);
  const EncoderTokenModel::Parts parts = {.encoder = node.Subgraph("encoder"),
                                          .decoder = node.Subgraph("decoder"),
                                          .layers = layers,
                                          .takes_hidden_states = hidden,
                                          .takes_whole_sequences = !one_token,
                                          .encoder_decodes = decodes,
                                          .attributes = attributes,
                                          .inputs = inputs};
  return [parts] { return std::make_unique<EncoderTokenModel>(parts); };
}

}  // namespace onnxcmp
