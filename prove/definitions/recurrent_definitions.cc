// Definitions of LSTM, GRU and RNN: their steps one by one, as exporters unroll them.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "prove/definition.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

// The common part of all three: x (steps, batch, input), w (directions, gates * hidden, input),
// r (directions, gates * hidden, hidden), b (directions, 2 * gates * hidden), lengths, initial_h
// (directions, batch, hidden), and outputs y (steps, directions, batch, hidden), y_h, ...
class Recurrence {
 public:
  Recurrence(Definition& d, int64_t gates) : d_(d), gates_(gates) {}

  absl::Status Check() {
    const FieldNode& node = d_.of();
    if (d_.ShapeOf(0).size() != 3 || d_.ShapeOf(1).size() != 3 || d_.ShapeOf(2).size() != 3) {
      return NoMeaning("inputs of another rank");
    }
    batch_first_ = node.Int("layout", 0) != 0;
    steps_ = d_.ShapeOf(0)[batch_first_ ? 1 : 0];
    batch_ = d_.ShapeOf(0)[batch_first_ ? 0 : 1];
    directions_ = d_.ShapeOf(2)[0];
    hidden_ = d_.ShapeOf(2)[2];
    direction_ = node.String("direction", "forward");
    if (steps_ < 1 || steps_ > work_bounds::kManyCandidates) return NoMeaning("so many steps");
    if (directions_ != (direction_ == "bidirectional" ? 2 : 1)) return NoMeaning("directions");
    if (node.HasAttribute("clip")) return NoMeaning("a clip");
    for (const char* const name : {"activation_alpha", "activation_beta"}) {
      if (!node.Floats(name).empty()) return NoMeaning("an activation's own numbers");
    }
    if (!d_.Has(4)) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, node.Integers(4));
    for (const int64_t length : lengths) {
      if (length != steps_) return NoMeaning("sequences of several lengths");
    }
    return absl::OkStatus();
  }

  Definition& d() { return d_; }
  int64_t directions() const { return directions_; }

  // The part of an input, (directions, ...), for one direction; "" if it is left out. States lie
  // along axis 1 if the batch comes first.
  std::string Part(int input, int64_t direction, bool state = false) {
    if (!d_.Has(input)) return "";
    const int64_t axis = state && batch_first_ ? 1 : 0;
    return d_.Add("Gather", {d_.In(input), d_.Integer(direction)}, {{"axis", axis}});
  }
  // The initial state, zeros if it is left out.
  std::string State(int input, int64_t direction) {
    const std::string given = Part(input, direction, true);
    if (!given.empty()) return given;
    return d_.Add("Expand", {d_.Number(0), d_.Integers({batch_, hidden_})});
  }
  // One of a direction's parts of (parts * hidden, ...).
  std::string Rows(const std::string& all, int64_t part) {
    if (all.empty()) return "";
    return d_.Add("Slice", {all, d_.Integers({part * hidden_}), d_.Integers({(part + 1) * hidden_}),
                            d_.Integers({0})});
  }
  // x w^T, of a gate's rows.
  std::string Times(const std::string& x, const std::string& rows) {
    return d_.Add("MatMul", {x, d_.Transposed(rows, {1, 0})});
  }
  std::string Plus(const std::string& a, const std::string& b) {
    return b.empty() ? a : d_.Add("Add", {a, b});
  }

  // The sum after one of a direction's activations: "Sigmoid", "Tanh", ...
  absl::StatusOr<std::string> Activated(const std::string& x, int64_t direction, size_t which,
                                        absl::Span<const absl::string_view> defaults) {
    const auto* const given =
        d_.of().node().attributes.contains("activations")
            ? std::get_if<std::vector<std::string>>(&d_.of().node().attributes.at("activations"))
            : nullptr;
    if (given == nullptr) return d_.Activated(x, defaults[which], {});
    const size_t place = static_cast<size_t>(direction) * defaults.size() + which;
    if (place >= given->size()) return NoMeaning("fewer activations");
    const std::string& name = (*given)[place];
    if (name != "Sigmoid" && name != "Tanh" && name != "Relu") {
      return NoMeaning(absl::StrCat("activation ", name));
    }
    return d_.Activated(x, name, {});
  }

  // The numbers of the steps of a direction, in their order.
  std::vector<int64_t> Steps(int64_t direction) const {
    std::vector<int64_t> steps;
    const bool backward = direction_ == "reverse" || direction == 1;
    for (int64_t i = 0; i < steps_; ++i) steps.push_back(backward ? steps_ - 1 - i : i);
    return steps;
  }
  std::string Step(int64_t step) {
    return d_.Add("Gather", {d_.In(0), d_.Integer(step)},
                  {{"axis", int64_t{batch_first_ ? 1 : 0}}});
  }

  // A direction's state after a step.
  void Keep(int64_t direction, int64_t step, const std::string& state) {
    std::vector<std::string>& states = states_[static_cast<size_t>(direction)];
    states.resize(static_cast<size_t>(steps_));
    states[static_cast<size_t>(step)] = state;
  }
  // Sets y, from what was kept.
  void SetStates() {
    std::vector<std::string> of_steps;
    for (size_t step = 0; step < static_cast<size_t>(steps_); ++step) {
      std::vector<std::string> both;
      for (int64_t i = 0; i < directions_; ++i) {
        both.push_back(Raised(states_[static_cast<size_t>(i)][step], batch_first_ ? 1 : 0));
      }
      const std::string joined = Joined(both, batch_first_ ? 1 : 0);
      of_steps.push_back(Raised(joined, batch_first_ ? 1 : 0));
    }
    d_.Out(0, Joined(of_steps, batch_first_ ? 1 : 0));
  }
  // Sets an output to the last states of all directions.
  void SetLast(int output, const std::vector<std::string>& last) {
    std::vector<std::string> raised;
    for (const std::string& state : last) raised.push_back(Raised(state, batch_first_ ? 1 : 0));
    d_.Out(output, Joined(raised, batch_first_ ? 1 : 0));
  }

  // The sum of both biases of a gate.
  std::string Bias(const std::string& biases, int64_t gate) {
    if (biases.empty()) return "";
    return Plus(Rows(biases, gate), Rows(biases, gates_ + gate));
  }

 private:
  std::string Raised(const std::string& x, int64_t axis) {
    return d_.Add("Unsqueeze", {x, d_.Integers({axis})});
  }
  std::string Joined(const std::vector<std::string>& parts, int64_t axis) {
    return d_.Add("Concat", parts, {{"axis", axis}});
  }

  Definition& d_;
  int64_t gates_;
  bool batch_first_ = false;
  int64_t steps_ = 0, batch_ = 0, directions_ = 0, hidden_ = 0;
  std::string direction_;
  std::vector<std::string> states_[2];
};

// Gates i, o, f, c; weights of the cell's own state for i, o, f.
absl::Status Lstm(Definition& d) {
  constexpr absl::string_view kActivations[] = {"Sigmoid", "Tanh", "Tanh"};
  Recurrence all(d, 4);
  OC_RETURN_IF_ERROR(all.Check());
  const bool coupled = d.of().Int("input_forget", 0) != 0;
  std::vector<std::string> last_h;
  std::vector<std::string> last_c;
  for (int64_t i = 0; i < all.directions(); ++i) {
    const std::string w = all.Part(1, i);
    const std::string r = all.Part(2, i);
    const std::string b = all.Part(3, i);
    const std::string p = all.Part(7, i);
    std::string h = all.State(5, i);
    std::string c = all.State(6, i);
    for (const int64_t step : all.Steps(i)) {
      const std::string x = all.Step(step);
      const auto gate = [&](int64_t which, int64_t peephole, const std::string& cell) {
        std::string sum =
            d.Add("Add", {all.Times(x, all.Rows(w, which)), all.Times(h, all.Rows(r, which))});
        if (peephole >= 0 && !p.empty()) {
          sum = all.Plus(sum, d.Add("Mul", {all.Rows(p, peephole), cell}));
        }
        return all.Plus(sum, all.Bias(b, which));
      };
      OC_ASSIGN_OR_RETURN(const std::string in, all.Activated(gate(0, 0, c), i, 0, kActivations));
      std::string forget;
      if (coupled) {
        forget = d.Add("Sub", {d.Number(1), in});
      } else {
        OC_ASSIGN_OR_RETURN(forget, all.Activated(gate(2, 2, c), i, 0, kActivations));
      }
      OC_ASSIGN_OR_RETURN(const std::string fresh,
                          all.Activated(gate(3, -1, c), i, 1, kActivations));
      c = d.Add("Add", {d.Add("Mul", {forget, c}), d.Add("Mul", {in, fresh})});
      OC_ASSIGN_OR_RETURN(const std::string out, all.Activated(gate(1, 1, c), i, 0, kActivations));
      OC_ASSIGN_OR_RETURN(const std::string shown, all.Activated(c, i, 2, kActivations));
      h = d.Add("Mul", {out, shown});
      all.Keep(i, step, h);
    }
    last_h.push_back(h);
    last_c.push_back(c);
  }
  all.SetStates();
  all.SetLast(1, last_h);
  all.SetLast(2, last_c);
  return absl::OkStatus();
}

// Gates z, r, h.
absl::Status Gru(Definition& d) {
  constexpr absl::string_view kActivations[] = {"Sigmoid", "Tanh"};
  Recurrence all(d, 3);
  OC_RETURN_IF_ERROR(all.Check());
  const bool reset_after = d.of().Int("linear_before_reset", 0) != 0;
  std::vector<std::string> last;
  for (int64_t i = 0; i < all.directions(); ++i) {
    const std::string w = all.Part(1, i);
    const std::string r = all.Part(2, i);
    const std::string b = all.Part(3, i);
    std::string h = all.State(5, i);
    for (const int64_t step : all.Steps(i)) {
      const std::string x = all.Step(step);
      const auto gate = [&](int64_t which) {
        const std::string sum =
            d.Add("Add", {all.Times(x, all.Rows(w, which)), all.Times(h, all.Rows(r, which))});
        return all.Activated(all.Plus(sum, all.Bias(b, which)), i, 0, kActivations);
      };
      OC_ASSIGN_OR_RETURN(const std::string update, gate(0));
      OC_ASSIGN_OR_RETURN(const std::string reset, gate(1));
      const std::string from_x = all.Times(x, all.Rows(w, 2));
      std::string sum;
      if (reset_after) {
        const std::string from_h =
            all.Plus(all.Times(h, all.Rows(r, 2)), b.empty() ? "" : all.Rows(b, 5));
        sum = d.Add("Add", {from_x, d.Add("Mul", {reset, from_h})});
        sum = all.Plus(sum, b.empty() ? "" : all.Rows(b, 2));
      } else {
        const std::string kept = d.Add("Mul", {reset, h});
        sum = d.Add("Add", {from_x, all.Times(kept, all.Rows(r, 2))});
        sum = all.Plus(sum, all.Bias(b, 2));
      }
      OC_ASSIGN_OR_RETURN(const std::string fresh, all.Activated(sum, i, 1, kActivations));
      const std::string rest = d.Add("Sub", {d.Number(1), update});
      h = d.Add("Add", {d.Add("Mul", {rest, fresh}), d.Add("Mul", {update, h})});
      all.Keep(i, step, h);
    }
    last.push_back(h);
  }
  all.SetStates();
  all.SetLast(1, last);
  return absl::OkStatus();
}

absl::Status Rnn(Definition& d) {
  constexpr absl::string_view kActivations[] = {"Tanh"};
  Recurrence all(d, 1);
  OC_RETURN_IF_ERROR(all.Check());
  std::vector<std::string> last;
  for (int64_t i = 0; i < all.directions(); ++i) {
    const std::string w = all.Part(1, i);
    const std::string r = all.Part(2, i);
    const std::string b = all.Part(3, i);
    std::string h = all.State(5, i);
    for (const int64_t step : all.Steps(i)) {
      const std::string sum = d.Add("Add", {all.Times(all.Step(step), w), all.Times(h, r)});
      OC_ASSIGN_OR_RETURN(h, all.Activated(all.Plus(sum, all.Bias(b, 0)), i, 0, kActivations));
      all.Keep(i, step, h);
    }
    last.push_back(h);
  }
  all.SetStates();
  all.SetLast(1, last);
  return absl::OkStatus();
}

constexpr DefinitionRow kRecurrentDefinitions[] = {
    {kOnnxDomain, "LSTM", Lstm},
    {kOnnxDomain, "GRU", Gru},
    {kOnnxDomain, "RNN", Rnn},
};

}  // namespace

absl::Span<const DefinitionRow> RecurrentDefinitions() { return kRecurrentDefinitions; }

}  // namespace onnxcmp
