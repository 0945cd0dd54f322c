#include "samples/figures_file.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "record/text/utf8.h"
#include "samples/rank_layers.h"

namespace onnxcmp {
namespace {

using Json = nlohmann::json;

constexpr char kForm[] = "onnxcmp sample figures 1";

// JSON has no infinities.
Json OfNumber(double number) {
  return std::isfinite(number) ? Json(number) : Json(absl::StrCat(number));
}

class Writer {
 public:
  Json Take() { return std::move(json_); }

  void operator()(const char* name, int64_t& number) { json_[name] = number; }
  void operator()(const char* name, bool& value) { json_[name] = value; }
  void operator()(const char* name, double& number) { json_[name] = OfNumber(number); }
  void operator()(const char* name, std::string& text) { json_[name] = RepairUtf8(text); }
  void operator()(const char* name, ExactSum& sum) {
    // Most digits are 0.
    Json digits = Json::array();
    const auto all = sum.Digits();
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i] != 0) digits.push_back({i, all[i]});
    }
    json_[name] = std::move(digits);
  }
  void operator()(const char* name, std::optional<Spread::Extreme>& extreme) {
    json_[name] = nullptr;
    if (extreme.has_value()) json_[name] = {OfNumber(extreme->figure), extreme->sample};
  }
  void operator()(const char* name, std::map<int64_t, int64_t>& counts) {
    Json list = Json::array();
    for (const auto& [key, count] : counts) list.push_back({key, count});
    json_[name] = std::move(list);
  }
  template <typename Object>
  void operator()(const char* name, Object& object) {
    Writer part;
    object.Visit(part);
    json_[name] = part.Take();
  }

 private:
  Json json_ = Json::object();
};

// Reads what Writer wrote; what is missing or of another kind makes it fail.
class Reader {
 public:
  Reader(const Json& json, bool* ok) : json_(json), ok_(*ok) {}

  void operator()(const char* name, int64_t& number) { Get(name, &number); }
  void operator()(const char* name, bool& value) { Get(name, &value); }
  void operator()(const char* name, std::string& text) { Get(name, &text); }
  void operator()(const char* name, double& number) {
    const Json* const json = Find(name);
    if (json != nullptr) Number(*json, &number);
  }
  void operator()(const char* name, ExactSum& sum) {
    std::array<int64_t, ExactSum::kDigits> digits = {};
    Pairs(name, [&](int64_t place, int64_t digit) {
      if (place < 0 || place >= ExactSum::kDigits) {
        ok_ = false;
        return;
      }
      digits[static_cast<size_t>(place)] = digit;
    });
    sum = ExactSum::OfDigits(digits);
  }
  void operator()(const char* name, std::optional<Spread::Extreme>& extreme) {
    const Json* const json = Find(name);
    if (json == nullptr || json->is_null()) return;
    if (!json->is_array() || json->size() != 2 || !(*json)[1].is_number_integer()) {
      ok_ = false;
      return;
    }
    extreme = Spread::Extreme{};
    Number((*json)[0], &extreme->figure);
    extreme->sample = (*json)[1].get<int64_t>();
  }
  void operator()(const char* name, std::map<int64_t, int64_t>& counts) {
    Pairs(name, [&](int64_t key, int64_t count) { counts[key] = count; });
  }
  template <typename Object>
  void operator()(const char* name, Object& object) {
    const Json* const json = Find(name);
    if (json == nullptr) return;
    Reader part(*json, &ok_);
    object.Visit(part);
  }

 private:
  const Json* Find(const char* name) {
    const auto it = json_.is_object() ? json_.find(name) : json_.end();
    if (it != json_.end()) return &*it;
    ok_ = false;
    return nullptr;
  }
  template <typename T>
  void Get(const char* name, T* value) {
    const Json* const json = Find(name);
    if (json == nullptr) return;
    const bool fits = std::is_same_v<T, bool>      ? json->is_boolean()
                      : std::is_same_v<T, int64_t> ? json->is_number_integer()
                                                   : json->is_string();
    if (fits) {
      *value = json->get<T>();
    } else {
      ok_ = false;
    }
  }
  void Number(const Json& json, double* number) {
    if (json.is_number()) {
      *number = json.get<double>();
    } else if (!json.is_string() || !absl::SimpleAtod(json.get<std::string>(), number)) {
      ok_ = false;
    }
  }
  template <typename Take>
  void Pairs(const char* name, const Take& take) {
    const Json* const json = Find(name);
    if (json == nullptr) return;
    for (const Json& pair : *json) {
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer() ||
          !pair[1].is_number_integer()) {
        ok_ = false;
        return;
      }
      take(pair[0].get<int64_t>(), pair[1].get<int64_t>());
    }
  }

  const Json& json_;
  bool& ok_;
};

template <typename Archive>
void VisitOutput(SampledOutput& output, Archive& archive) {
  archive("left", output.left);
  archive("right", output.right);
  archive("taken_for", output.taken_for);
  archive("figures", output.figures);
}

template <typename Archive>
void VisitLayer(SampledLayer& layer, Archive& archive) {
  archive("left", layer.left);
  archive("right", layer.right);
  archive("op_type", layer.op_type);
  archive("mistake", layer.mistake);
  archive("mistaken", layer.mistaken);
  archive("cost", layer.cost);
  archive("figures", layer.figures);
}

template <typename Archive>
void VisitOutcome(SampleOutcome& outcome, Archive& archive) {
  archive("sample", outcome.sample);
  archive("sqnr", outcome.sqnr);
  archive("agrees", outcome.agrees);
  archive("alike", outcome.alike);
  archive("other_shapes", outcome.other_shapes);
}

template <typename Archive>
void VisitFailed(FailedSample& failed, Archive& archive) {
  archive("sample", failed.sample);
  archive("why", failed.why);
}

template <typename Archive>
void VisitWhole(SamplesReport& report, Archive& archive) {
  archive("left", report.sources.left);
  archive("right", report.sources.right);
  archive("path", report.path);
  archive("given", report.given);
  archive("part", report.part);
  archive("parts", report.parts);
  archive("costed", report.costed);
  archive("first_sample", report.first_sample);
}

Json Texts(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(RepairUtf8(text));
  return list;
}

template <typename Item, typename VisitItem>
Json ListOf(std::vector<Item>& items, const VisitItem& visit) {
  Json list = Json::array();
  for (Item& item : items) {
    Writer writer;
    visit(item, writer);
    list.push_back(writer.Take());
  }
  return list;
}

template <typename Item, typename VisitItem>
void ReadList(const Json& json, const char* name, const VisitItem& visit, bool* ok,
              std::vector<Item>* items) {
  const auto list = json.find(name);
  if (list == json.end() || !list->is_array()) {
    *ok = false;
    return;
  }
  for (const Json& item : *list) {
    Reader reader(item, ok);
    visit(items->emplace_back(), reader, item);
  }
}

void ReadTexts(const Json& json, const char* name, bool* ok, std::vector<std::string>* texts) {
  const auto list = json.find(name);
  if (list == json.end() || !list->is_array()) {
    *ok = false;
    return;
  }
  for (const Json& text : *list) {
    *ok = *ok && text.is_string();
    if (*ok) texts->push_back(text.get<std::string>());
  }
}

void ReadLayer(SampledLayer& layer, Reader& reader, const Json& json, bool* ok) {
  VisitLayer(layer, reader);
  const auto before = json.find("before");
  const auto cause = json.find("cause");
  if (before == json.end() || !before->is_array() || cause == json.end()) {
    *ok = false;
    return;
  }
  for (const Json& other : *before) {
    *ok = *ok && other.is_number_integer();
    if (*ok) layer.before.push_back(other.get<int64_t>());
  }
  if (cause->is_number_unsigned()) layer.cause = cause->get<size_t>();
}

void ReadOutput(SampledOutput& output, Reader& reader, const Json& json, bool* ok) {
  VisitOutput(output, reader);
  const auto task = json.find("task");
  if (task == json.end()) {
    *ok = false;
    return;
  }
  if (task->is_null()) return;
  const absl::StatusOr<Task> known = TaskOfName(task->is_string() ? task->get<std::string>() : "");
  *ok = *ok && known.ok();
  if (!*ok) return;
  output.task.emplace(*known);
  reader("task_figures", *output.task);
}

absl::StatusOr<SamplesReport> ReadFigures(const std::string& text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  absl::Status wrong = absl::InvalidArgumentError(absl::StrCat(name, " is no file of --figures"));
  if (!json.is_object() || json.value("form", "") != kForm) return wrong;
  SamplesReport report;
  bool ok = true;
  Reader reader(json, &ok);
  VisitWhole(report, reader);
  ReadTexts(json, "names", &ok, &report.names);
  ReadTexts(json, "notes", &ok, &report.notes);
  ReadTexts(json, "causes", &ok, &report.causes);
  ReadList(
      json, "outputs",
      [&](SampledOutput& output, Reader& of, const Json& item) {
        ReadOutput(output, of, item, &ok);
      },
      &ok, &report.outputs);
  ReadList(
      json, "layers",
      [&](SampledLayer& layer, Reader& of, const Json& item) { ReadLayer(layer, of, item, &ok); },
      &ok, &report.layers);
  ReadList(
      json, "outcomes",
      [](SampleOutcome& outcome, Reader& of, const Json&) { VisitOutcome(outcome, of); }, &ok,
      &report.outcomes);
  ReadList(
      json, "failed",
      [](FailedSample& failed, Reader& of, const Json&) { VisitFailed(failed, of); }, &ok,
      &report.failed);
  const auto in_range = [&](int64_t sample) {
    return sample >= 0 && sample < static_cast<int64_t>(report.names.size());
  };
  for (const SampleOutcome& outcome : report.outcomes) ok = ok && in_range(outcome.sample);
  for (const FailedSample& failed : report.failed) ok = ok && in_range(failed.sample);
  for (const SampledLayer& layer : report.layers) {
    for (const int64_t other : layer.before) {
      ok = ok && other >= 0 && other < static_cast<int64_t>(report.layers.size());
    }
    ok = ok && (!layer.cause.has_value() || *layer.cause < report.causes.size());
  }
  if (!ok) return wrong;
  return report;
}

bool OfTheSamePairs(const SamplesReport& a, const SamplesReport& b) {
  const auto same_layer = [](const SampledLayer& x, const SampledLayer& y) {
    return x.left == y.left && x.right == y.right;
  };
  const auto same_output = [](const SampledOutput& x, const SampledOutput& y) {
    return x.left == y.left && x.right == y.right;
  };
  // A part in which no sample ran has no outputs' tasks, but all pairs.
  return std::equal(a.layers.begin(), a.layers.end(), b.layers.begin(), b.layers.end(),
                    same_layer) &&
         std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                    same_output);
}

void AddPart(SamplesReport part, SamplesReport* all) {
  for (size_t i = 0; i < all->layers.size(); ++i) {
    SampledLayer& layer = all->layers[i];
    const SampledLayer& more = part.layers[i];
    layer.figures.Add(more.figures);
    layer.cost.Add(more.cost);
    layer.mistaken += more.mistaken;
    if (layer.mistake.empty()) layer.mistake = more.mistake;
  }
  for (size_t i = 0; i < all->outputs.size(); ++i) {
    SampledOutput& output = all->outputs[i];
    SampledOutput& more = part.outputs[i];
    output.figures.Add(more.figures);
    if (output.taken_for.empty()) output.taken_for = more.taken_for;
    if (output.task.has_value() && more.task.has_value()) {
      output.task->Add(*more.task);
    } else if (more.task.has_value()) {
      output.task = std::move(more.task);
    }
  }
  all->costed += part.costed;
  all->outcomes.insert(all->outcomes.end(), part.outcomes.begin(), part.outcomes.end());
  all->failed.insert(all->failed.end(), part.failed.begin(), part.failed.end());
}

}  // namespace

std::string WriteFigures(SamplesReport figures) {
  Writer writer;
  VisitWhole(figures, writer);
  Json json = writer.Take();
  json["form"] = kForm;
  json["names"] = Texts(figures.names);
  json["notes"] = Texts(figures.notes);
  json["causes"] = Texts(figures.causes);
  json["outputs"] =
      ListOf(figures.outputs, [](SampledOutput& output, Writer& of) { VisitOutput(output, of); });
  for (size_t i = 0; i < figures.outputs.size(); ++i) {
    std::optional<TaskFigures>& task = figures.outputs[i].task;
    Json& item = json["outputs"][i];
    item["task"] = nullptr;
    if (!task.has_value()) continue;
    item["task"] = TaskName(task->task());
    Writer of_task;
    task->Visit(of_task);
    item["task_figures"] = of_task.Take();
  }
  json["layers"] =
      ListOf(figures.layers, [](SampledLayer& layer, Writer& of) { VisitLayer(layer, of); });
  for (size_t i = 0; i < figures.layers.size(); ++i) {
    const SampledLayer& layer = figures.layers[i];
    json["layers"][i]["before"] = layer.before;
    json["layers"][i]["cause"] = layer.cause.has_value() ? Json(*layer.cause) : Json(nullptr);
  }
  json["outcomes"] =
      ListOf(figures.outcomes, [](SampleOutcome& one, Writer& of) { VisitOutcome(one, of); });
  json["failed"] =
      ListOf(figures.failed, [](FailedSample& one, Writer& of) { VisitFailed(one, of); });
  return json.dump() + "\n";
}

absl::StatusOr<SamplesReport> MergeFigures(const std::vector<std::string>& texts,
                                           const std::vector<std::string>& names) {
  SamplesReport all;
  std::set<int64_t> there;
  for (size_t i = 0; i < texts.size(); ++i) {
    OC_ASSIGN_OR_RETURN(SamplesReport part, ReadFigures(texts[i], names[i]));
    if (!there.insert(part.part).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("part ", part.part, "/", part.parts, " is there twice: ", names[i]));
    }
    if (i == 0) {
      all = std::move(part);
      continue;
    }
    if (part.sources.left != all.sources.left || part.sources.right != all.sources.right ||
        part.names != all.names || part.parts != all.parts || !OfTheSamePairs(part, all)) {
      return absl::InvalidArgumentError(
          absl::StrCat(names[i], " is of other models or samples than ", names[0]));
    }
    AddPart(std::move(part), &all);
  }
  if (static_cast<int64_t>(there.size()) != all.parts) {
    return absl::InvalidArgumentError(
        absl::StrCat(there.size(), " of ", all.parts, " parts are there"));
  }
  const auto by_sample = [](const auto& a, const auto& b) { return a.sample < b.sample; };
  std::sort(all.outcomes.begin(), all.outcomes.end(), by_sample);
  std::sort(all.failed.begin(), all.failed.end(), by_sample);
  all.part = 0;
  all.parts = 1;
  RankLayers(&all);
  return all;
}

}  // namespace onnxcmp
