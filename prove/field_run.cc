#include "prove/field_run.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/function_body.h"
#include "evaluator/model/node_text.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/model/value_type.h"
#include "evaluator/tensor/convert.h"
#include "onnx/defs/schema.h"
#include "prove/definition.h"
#include "prove/directions.h"
#include "prove/field/residues.h"
#include "prove/inner_graphs.h"
#include "prove/node_kinds.h"
#include "prove/roundings.h"
#include "prove/score_masks.h"
#include "prove/unknown_values.h"
#include "prove/value_trace.h"
#include "prove/whole_numbers.h"
#include "record/base/work_bounds.h"
#include "record/streams/fingerprint.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

constexpr char kRoundedBefore[] = "of numbers that were rounded to fewer digits alike";

// Where a fixed result is no number in the field, the run on numbers knows it. True if some are.
absl::StatusOr<bool> FillFromNumbers(const PrimeField& field, const Value& number,
                                     Residues* residues) {
  if (std::find(residues->values.begin(), residues->values.end(), kNoNumber) ==
      residues->values.end()) {
    return false;
  }
  OC_ASSIGN_OR_RETURN(const Residues known, EmbedTensor(field, number.tensor(), nullptr));
  for (size_t i = 0; i < residues->values.size(); ++i) {
    if (residues->values[i] == kNoNumber) residues->values[i] = known.values[i];
  }
  return true;
}

}  // namespace

FieldRun::FieldRun(const Evaluator& evaluator, const FieldTools& tools, std::string around,
                   int depth)
    : evaluator_(evaluator),
      tools_(tools),
      around_(std::move(around)),
      depth_(depth),
      facts_(evaluator.registry()) {
  const Graph& graph = evaluator.model().graph;
  last_uses_.resize(graph.nodes.size());
  absl::flat_hash_set<std::string> seen;
  for (const ValueInfo& output : graph.outputs) seen.insert(output.name);
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    std::vector<std::string> names = graph.nodes[i].inputs;
    for (std::string& name : OuterNames(graph.nodes[i])) names.push_back(std::move(name));
    for (std::string& name : names) {
      if (!name.empty() && seen.insert(name).second) last_uses_[i].push_back(std::move(name));
    }
  }
}

std::string FieldRun::LabelOf(const Node& node) const {
  return around_.empty() ? std::string(NodeLabel(node)) : around_;
}

absl::StatusOr<std::vector<FieldValue>> FieldRun::Run(FieldValues given, Watch watch) {
  const Graph& graph = evaluator_.model().graph;
  for (const Initializer& initializer : graph.initializers) {
    if (given.contains(initializer.name)) continue;
    given[initializer.name].number = initializer.value;
  }
  for (auto& [name, value] : given) OC_RETURN_IF_ERROR(watch(name, &value));
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    if (!tools_.constants_only || ReadsConstants(index, given)) {
      OC_RETURN_IF_ERROR(RunNode(index, &given, watch));
    }
    for (const std::string& name : last_uses_[i]) given.erase(name);
  }
  std::vector<FieldValue> outputs;
  if (tools_.constants_only && depth_ == 0) return outputs;
  for (const ValueInfo& output : graph.outputs) {
    outputs.push_back(given[output.name]);
    if (depth_ == 0) KeepComparison(outputs.back(), tools_.jumps);
  }
  return outputs;
}

bool FieldRun::ReadsConstants(int64_t index, const FieldValues& values) const {
  const auto is_fixed = [&](const std::string& name) {
    const auto found = values.find(name);
    return name.empty() || (found != values.end() && found->second.fixed);
  };
  return absl::c_all_of(evaluator_.model().graph.nodes[static_cast<size_t>(index)].inputs,
                        is_fixed) &&
         absl::c_all_of(evaluator_.CapturesOf(index), is_fixed);
}

absl::Status FieldRun::RunNode(int64_t index, FieldValues* values, Watch watch) {
  const Node& node = evaluator_.model().graph.nodes[static_cast<size_t>(index)];
  std::vector<FieldValue> inputs;
  std::vector<Value> given;
  for (const std::string& name : node.inputs) {
    inputs.push_back(name.empty() ? FieldValue() : (*values)[name]);
    given.push_back(inputs.back().number);
  }
  Feeds captures;
  for (const std::string& name : evaluator_.CapturesOf(index)) {
    captures[name] = (*values)[name].number;
  }
  const auto run = [&] { return evaluator_.RunNode(index, given, captures); };
  const bool known = depth_ == 0 && tools_.numbers != nullptr;
  OC_ASSIGN_OR_RETURN(const std::vector<Value> numbers,
                      known ? tools_.numbers->Of(index, run) : run());
  OC_ASSIGN_OR_RETURN(std::vector<FieldValue> outputs,
                      Compute(index, inputs, captures, numbers, *values));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = node.outputs[i];
    if (name.empty() || outputs[i].empty()) continue;
    OC_RETURN_IF_ERROR(watch(name, &outputs[i]));
    (*values)[name] = std::move(outputs[i]);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<FieldValue>> FieldRun::Compute(int64_t index,
                                                          absl::Span<const FieldValue> inputs,
                                                          const Feeds& captures,
                                                          absl::Span<const Value> numbers,
                                                          const FieldValues& values) {
  const Node& node = evaluator_.model().graph.nodes[static_cast<size_t>(index)];
  // Its second input says a type, and nothing else.
  if (node.domain == kOnnxDomain && node.op_type == "CastLike") inputs = inputs.first(1);
  const bool has_meaning = FindFieldOperator(node.domain, node.op_type) != nullptr ||
                           FindDefinition(node.domain, node.op_type) != nullptr;
  if (DrawsNumbers(node) && !has_meaning) {
    return WithoutMeaning(node, "it draws random numbers", numbers);
  }
  bool fixed = true;
  bool reals = false;
  bool shaped = false;
  for (const FieldValue& input : inputs) {
    fixed = fixed && input.fixed;
    reals = reals || IsRealTensor(input.number);
    shaped = shaped || input.shaped;
  }
  for (const auto& [name, number] : captures) fixed = fixed && values.at(name).fixed;
  const bool real_result = std::any_of(numbers.begin(), numbers.end(), IsRealTensor);
  std::vector<FieldValue> outputs(numbers.size());
  if (ReadsNoElements(node) || (fixed && !(reals && real_result))) {
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i].number = numbers[i];
  } else if (MovesSequences(node)) {
    absl::StatusOr<std::vector<FieldValue>> moved = BySequence(index, inputs, numbers);
    if (!moved.ok()) return WithoutMeaning(node, moved.status().message(), numbers);
    outputs = *std::move(moved);
  } else if (!GraphsOf(node).empty()) {
    for (const FieldValue& input : inputs) KeepComparison(input, tools_.jumps);
    absl::StatusOr<std::vector<FieldValue>> branch = ByInnerGraphs(node, inputs, numbers, values);
    if (!branch.ok()) return WithoutMeaning(node, branch.status().message(), numbers);
    return branch;
  } else {
    const Resolved resolved = ResolvedIn(evaluator_, node);
    if (resolved.schema == nullptr) return absl::InternalError("a node without a schema");
    const std::shared_ptr<const Signature> signature = MakeSignature(*resolved.schema);
    FieldNode run(
        tools_.field, node, signature.get(), resolved.schema->SinceVersion(), inputs, numbers,
        tools_.workspace,
        [&](absl::Span<const Value> moved) { return evaluator_.RunNode(index, moved); },
        tools_.meant);
    run.set_operation(facts_.Of(node).operation);
    run.set_label(LabelOf(node));
    run.set_products(tools_.products);
    run.set_constants(tools_.constants, tools_.products_as_functions);
    run.set_conversions(tools_.conversions);
    run.set_by_direction(tools_.by_direction);
    run.set_large_masks(tools_.large_masks);
    absl::StatusOr<std::vector<FieldValue>> made = ByMemo(run, inputs, numbers);
    if (absl::IsInternal(made.status())) return made;
    absl::Status why = made.status();
    if (!made.ok() && FindDefinition(node.domain, node.op_type) != nullptr) {
      made = ByDefinition(run, inputs);
      why = made.status();
    }
    if (!made.ok()) made = ByBody(node, inputs);
    if (!made.ok()) {
      made = DrawsNumbers(node) ? why
                                : AsFunction(node, run.operation(), why.message(), inputs, numbers);
    }
    if (!made.ok()) return WithoutMeaning(node, made.status().message(), numbers);
    outputs = *std::move(made);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i >= numbers.size() || numbers[i].empty()) continue;
    outputs[i].number = numbers[i];
    outputs[i].shaped = outputs[i].shaped || shaped;
  }
  const bool alike =
      RoundsAlike(node) && std::all_of(inputs.begin(), inputs.end(),
                                       [](const FieldValue& input) { return input.rounds_alike; });
  for (FieldValue& output : outputs) output.rounds_alike = alike;
  if (!outputs.empty() && !outputs[0].fixed) {
    outputs[0].masked = MaskedElements(node, inputs, numbers[0]);
    if (tools_.memo != nullptr) tools_.memo->ShareMask(&outputs[0]);
  }
  return outputs;
}

absl::StatusOr<std::vector<FieldValue>> FieldRun::BySequence(int64_t index,
                                                             absl::Span<const FieldValue> inputs,
                                                             absl::Span<const Value> numbers) {
  std::vector<Value> given;
  FieldValue made;
  made.fixed = false;
  for (const FieldValue& input : inputs) {
    made.exact = made.exact && input.exact;
    made.roundings = RoundingsOf({made, input});
    if (!input.number.is_tensor()) {
      if (input.elements.empty()) return absl::UnimplementedError("a sequence of something else");
      given.push_back(input.elements);
    } else if (input.fixed && IsInteger(input.number.tensor().dtype())) {
      given.push_back(input.number);
    } else {
      Residues residues;
      if (input.residues.defined()) {
        OC_ASSIGN_OR_RETURN(residues, FromTensor(input.residues));
        if (input.wraps) {
          residues = Unwrapped(tools_.field, input.number.tensor().dtype(), std::move(residues));
        }
      } else {
        OC_ASSIGN_OR_RETURN(residues,
                            EmbedTensor(tools_.field, input.number.tensor(), tools_.meant));
      }
      OC_ASSIGN_OR_RETURN(given.emplace_back(), ToTensor(residues));
    }
  }
  const absl::StatusOr<std::vector<Value>> moved = evaluator_.RunNode(index, given);
  if (!moved.ok()) return absl::UnimplementedError(moved.status().message());
  const Value& output = moved->front();
  if (output.is_tensor()) {
    made.residues = output.tensor();
    if (!numbers[0].is_tensor() || numbers[0].tensor().shape() != made.residues.shape()) {
      return absl::UnimplementedError("an element of another shape");
    }
  } else {
    made.identity = ContentOf(output).low;
    made.elements = output;
  }
  return std::vector<FieldValue>{std::move(made)};
}

absl::StatusOr<std::vector<FieldValue>> FieldRun::ByOperator(FieldNode& node,
                                                             absl::Span<const FieldValue> inputs) {
  const FieldOperator run =
      FindFieldOperator(node.node().domain, node.node().op_type, tools_.by_parts);
  if (run == nullptr) return absl::UnimplementedError("it has no meaning of its own");
  if (node.Int("broadcast", 0) != 0 && node.HasAttribute("axis")) {
    return absl::UnimplementedError("broadcasting along an axis");
  }
  OC_RETURN_IF_ERROR(run(node));
  if (const std::string unread = node.UnreadAttribute(); !unread.empty()) {
    return absl::UnimplementedError(absl::StrCat("its attribute ", unread));
  }
  const Roundings roundings = node.roundings();
  if (node.unwrapped() != DType::kUndefined) {
    tools_.functions->push_back({LabelOf(node.node()), node.node().op_type,
                                 absl::StrCat(DTypeName(node.unwrapped()), " may wrap")});
  }
  if (node.jumps() && NarrowOf(roundings) != 0) {
    tools_.functions->push_back({LabelOf(node.node()), node.node().op_type, kRoundedBefore});
  }
  const bool fixed = std::all_of(inputs.begin(), inputs.end(),
                                 [](const FieldValue& input) { return input.fixed; });
  std::vector<FieldValue> outputs(static_cast<size_t>(node.num_outputs()));
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!node.HasOutput(i)) continue;
    std::optional<Residues>& residues = node.outputs()[static_cast<size_t>(i)];
    if (!residues.has_value()) return absl::UnimplementedError("one of its outputs");
    FieldValue& output = outputs[static_cast<size_t>(i)];
    bool filled = false;
    if (fixed) {
      OC_ASSIGN_OR_RETURN(filled, FillFromNumbers(tools_.field, node.number(i), &*residues));
    }
    if (const auto form = node.forms().find(i); form != node.forms().end() && !filled) {
      OC_ASSIGN_OR_RETURN(output.exp_factor, ToTensor(form->second.factor));
      OC_ASSIGN_OR_RETURN(output.exp_exponent, ToTensor(form->second.exponent));
    }
    OC_ASSIGN_OR_RETURN(output.residues, ToTensor(*residues));
    if (!fixed) output.origin = node.OriginOf(i);
    output.fixed = fixed;
    output.exact = node.exact();
    KnowWholeNumbers(node, i, &output);
    if (tools_.by_direction && i == 0) KnowDirection(node, &output);
    if (tools_.by_parts && i == 0) KnowParts(node, &output);
    if (tools_.conversions == nullptr) {
      KnowRoundings(node.node(), inputs, roundings, !node.moved().empty(), node.number(i), &output);
    }
  }
  KeepJumps(node, inputs, outputs, tools_.jumps);
  return outputs;
}

absl::StatusOr<std::vector<FieldValue>> FieldRun::ByMemo(FieldNode& node,
                                                         absl::Span<const FieldValue> inputs,
                                                         absl::Span<const Value> numbers) {
  // Constants that stand for others do so on one side. What is fixed may be taken from numbers.
  const bool fixed = std::all_of(inputs.begin(), inputs.end(),
                                 [](const FieldValue& input) { return input.fixed; });
  if (tools_.memo == nullptr || fixed || !tools_.meant->folded.empty()) {
    return ByOperator(node, inputs);
  }
  const std::optional<Hash128> key =
      RunMemo::KeyOf(MixNumbers(node.operation(), static_cast<uint64_t>(node.since())), inputs,
                     numbers, tools_.workspace.pool(), tools_.constants);
  if (!key.has_value()) return ByOperator(node, inputs);
  if (const std::vector<FieldValue>* const made = tools_.memo->Find(*key)) return *made;
  OC_ASSIGN_OR_RETURN(std::vector<FieldValue> outputs, ByOperator(node, inputs));
  for (FieldValue& output : outputs) tools_.memo->Share(&output);
  tools_.memo->Keep(*key, inputs, outputs);
  return outputs;
}

absl::StatusOr<std::vector<FieldValue>> FieldRun::ByGraph(const Graph& graph, FieldValues given,
                                                          const std::string& label) {
  if (depth_ >= work_bounds::kNesting)
    return absl::UnimplementedError("bodies are nested too deep");
  auto model = std::make_shared<Model>();
  model->ir_version = evaluator_.model().ir_version;
  model->imports = evaluator_.model().imports;
  model->graph = graph;
  for (const Node& node : graph.nodes) {
    if (node.imports == nullptr) continue;
    for (const auto& [domain, version] : *node.imports) model->imports.try_emplace(domain, version);
  }
  for (const auto& [name, value] : given) {
    const auto has = [&name = name](const auto& known) { return known.name == name; };
    if (std::none_of(graph.inputs.begin(), graph.inputs.end(), has)) {
      model->graph.inputs.push_back({name, {}});
    }
  }
  EvaluatorOptions options = evaluator_.options();
  options.threads = 1;
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator,
                      Evaluator::Create(model, evaluator_.registry(), options));
  FieldRun run(evaluator, tools_, label, depth_ + 1);
  return run.Run(std::move(given),
                 [](const std::string&, FieldValue*) { return absl::OkStatus(); });
}

absl::StatusOr<std::vector<FieldValue>> FieldRun::ByDefinition(
    const FieldNode& node, absl::Span<const FieldValue> inputs) {
  const Defines define = FindDefinition(node.node().domain, node.node().op_type);
  if (define == nullptr) return absl::UnimplementedError("it has no definition");
  const size_t ends = tools_.ends->size();
  const size_t functions = tools_.functions->size();
  absl::Status why;
  for (int variant = 0; variant < 2; ++variant) {
    Definition definition(node, variant);
    why = define(definition);
    const bool is_last = !definition.has_variants();
    if (why.ok()) {
      OC_ASSIGN_OR_RETURN(const Graph body, definition.Body());
      FieldValues given;
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].empty()) given[definition.In(static_cast<int>(i))] = inputs[i];
      }
      absl::StatusOr<std::vector<FieldValue>> made =
          ByGraph(body, std::move(given), LabelOf(node.node()));
      if (made.ok()) made = InPlaces(node, *std::move(made));
      if (made.ok()) return made;
      why = made.status();
    }
    tools_.ends->resize(ends);
    tools_.functions->resize(functions);
    if (is_last) break;
  }
  return absl::UnimplementedError(why.message());
}

absl::StatusOr<std::vector<FieldValue>> FieldRun::ByBody(const Node& node,
                                                         absl::Span<const FieldValue> inputs) {
  const Resolved resolved = ResolvedIn(evaluator_, node);
  if (BodyKindOf(*resolved.schema, resolved.version) == BodyKind::kNone) {
    return absl::UnimplementedError("it has no body");
  }
  std::vector<TypeInfo> types;
  for (const FieldValue& input : inputs) {
    TypeInfo type;
    if (!input.empty()) {
      OC_ASSIGN_OR_RETURN(type, TypeAndShapeOf(input.number));
    }
    types.push_back(std::move(type));
  }
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Graph> body,
                      FunctionBody(node, {resolved.schema, resolved.version, resolved.imports},
                                   types, {}, evaluator_.registry()));
  if (body == nullptr) return absl::UnimplementedError("it has no body");
  FieldValues given;
  for (size_t i = 0; i < body->inputs.size() && i < inputs.size(); ++i) {
    if (!inputs[i].empty()) given[body->inputs[i].name] = inputs[i];
  }
  const size_t ends = tools_.ends->size();
  const size_t functions = tools_.functions->size();
  absl::StatusOr<std::vector<FieldValue>> made = ByGraph(*body, std::move(given), LabelOf(node));
  if (!made.ok()) {
    // Some other way may do.
    tools_.ends->resize(ends);
    tools_.functions->resize(functions);
    return absl::UnimplementedError(made.status().message());
  }
  std::vector<FieldValue> outputs(node.outputs.size());
  size_t next = 0;
  for (size_t i = 0; i < outputs.size() && next < made->size(); ++i) {
    if (!node.outputs[i].empty()) outputs[i] = std::move((*made)[next++]);
  }
  return outputs;
}

absl::StatusOr<std::vector<FieldValue>> FieldRun::ByInnerGraphs(const Node& node,
                                                                absl::Span<const FieldValue> inputs,
                                                                absl::Span<const Value> numbers,
                                                                const FieldValues& values) {
  std::vector<FieldValue> known(inputs.begin(), inputs.end());
  FieldValues captured;
  for (const std::string& name : facts_.Of(node).captures) {
    const auto value = values.find(name);
    if (value != values.end()) known.push_back(captured[name] = value->second);
  }
  const auto run = [&](const Graph& graph, FieldValues given) {
    const absl::flat_hash_set<std::string> own = OwnNames(graph);
    for (const auto& [name, value] : captured) {
      if (!own.contains(name)) given.try_emplace(name, value);
    }
    return ByGraph(graph, std::move(given), LabelOf(node));
  };
  const size_t ends = tools_.ends->size();
  const size_t functions = tools_.functions->size();
  absl::StatusOr<std::vector<FieldValue>> made =
      RunInnerGraphs(tools_.field, node, inputs, numbers, run);
  if (made.ok()) return made;
  tools_.ends->resize(ends);
  tools_.functions->resize(functions);
  for (const Graph* graph : GraphsOf(node)) {
    if (DrawNumbers(*graph)) return made;
  }
  // The same graphs on the same values give the same.
  made = AsFunction(node, facts_.Of(node).operation, made.status().message(), known, numbers);
  if (!made.ok()) return made;
  for (size_t i = 0; i < made->size(); ++i) {
    (*made)[i].shaped = true;
    (*made)[i].number = numbers[i];
  }
  return made;
}

absl::StatusOr<std::vector<FieldValue>> FieldRun::AsFunction(const Node& node, uint64_t operation,
                                                             absl::string_view why,
                                                             absl::Span<const FieldValue> inputs,
                                                             absl::Span<const Value> numbers) {
  const Roundings roundings = tools_.conversions != nullptr ? nullptr : RoundingsOf(inputs);
  const bool jumps = MayJump(node, numbers);
  if (const uint64_t narrow = jumps ? NarrowOf(roundings) : 0; narrow != 0) {
    operation = MixNumbers(operation, narrow);
    why = kRoundedBefore;
  }
  OC_ASSIGN_OR_RETURN(std::vector<FieldValue> outputs,
                      UnknownFunction(tools_.field, node, operation, inputs, numbers));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!numbers[i].empty() && tools_.conversions == nullptr) {
      KnowRoundings(node, inputs, roundings, false, numbers[i], &outputs[i]);
    }
  }
  if (jumps && !outputs.empty()) {
    KeepJump(absl::StrCat(node.op_type, " ", LabelOf(node)), outputs[0], tools_.jumps);
  }
  tools_.functions->push_back({LabelOf(node), node.op_type, std::string(why)});
  return outputs;
}

std::vector<FieldValue> FieldRun::WithoutMeaning(const Node& node, absl::string_view why,
                                                 absl::Span<const Value> numbers) {
  const uint64_t key = MixNumbers(tools_.side, tools_.ends->size() + 1);
  tools_.ends->push_back({LabelOf(node), node.op_type, std::string(why)});
  return UnknownValues(tools_.field, key, numbers);
}

}  // namespace onnxcmp
