#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/work.h"
#include "ops/extended/domains.h"

namespace onnxcmp {
namespace {

enum class Weighting : uint8_t { kTf, kIdf, kTfIdf };

// The n-grams of the pool as a tree: an n-gram is the path of its tokens from the root.
class NgramTree {
 public:
  static constexpr int64_t kNone = -1;

  void Add(absl::Span<const int64_t> tokens, int64_t ngram) {
    int64_t node = 0;
    for (const int64_t token : tokens) {
      const auto [found, added] =
          children_.try_emplace({node, token}, static_cast<int64_t>(ngrams_.size()));
      if (added) ngrams_.push_back(kNone);
      node = found->second;
    }
    ngrams_[static_cast<size_t>(node)] = ngram;
  }

  // kNone if no n-gram goes on like this.
  int64_t Child(int64_t node, int64_t token) const {
    const auto found = children_.find(std::make_pair(node, token));
    return found == children_.end() ? kNone : found->second;
  }
  // The number of the n-gram that ends at this node, or kNone.
  int64_t NgramAt(int64_t node) const { return ngrams_[static_cast<size_t>(node)]; }

 private:
  absl::flat_hash_map<std::pair<int64_t, int64_t>, int64_t> children_;
  std::vector<int64_t> ngrams_ = {kNone};  // of each node
};

struct Vectorizer {
  Weighting weighting = Weighting::kTf;
  int64_t min_length = 0;
  int64_t max_length = 0;
  int64_t max_skip = 0;
  std::vector<int64_t> outputs;  // of each n-gram
  std::vector<float> weights;    // of each n-gram; empty: 1
  int64_t width = 0;             // of the output
  // Tokens that are strings, numbered; those that are numbers are themselves.
  absl::flat_hash_map<std::string, int64_t> words;
  bool of_words = false;
  NgramTree tree;
};

// Puts the n-grams with lengths in use into the tree; returns how many there are of any length.
absl::StatusOr<int64_t> AddNgrams(absl::Span<const int64_t> pool, absl::Span<const int64_t> starts,
                                  Vectorizer* vectorizer) {
  int64_t ngram = 0;
  const auto size = static_cast<int64_t>(pool.size());
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t begin = starts[i];
    const int64_t end = i + 1 < starts.size() ? starts[i + 1] : size;
    const auto length = static_cast<int64_t>(i) + 1;
    if (begin < 0 || end < begin || end > size || (end - begin) % length != 0) {
      return absl::InvalidArgumentError(absl::StrCat("ngram_counts: ", begin, " to ", end,
                                                     " of a pool of ", size,
                                                     " are not n-grams of length ", length));
    }
    for (int64_t at = begin; at < end; at += length, ++ngram) {
      if (length >= vectorizer->min_length && length <= vectorizer->max_length) {
        vectorizer->tree.Add(pool.subspan(static_cast<size_t>(at), static_cast<size_t>(length)),
                             ngram);
      }
    }
  }
  return ngram;
}

absl::StatusOr<Vectorizer> ReadVectorizer(const KernelInit& node) {
  Vectorizer vectorizer;
  const std::string mode = node.String("mode");
  if (mode == "TF") {
    vectorizer.weighting = Weighting::kTf;
  } else if (mode == "IDF") {
    vectorizer.weighting = Weighting::kIdf;
  } else if (mode == "TFIDF") {
    vectorizer.weighting = Weighting::kTfIdf;
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("mode \"", mode, "\" is none of TF, IDF and TFIDF"));
  }
  vectorizer.min_length = node.Int("min_gram_length");
  vectorizer.max_length = node.Int("max_gram_length");
  vectorizer.max_skip = node.Int("max_skip_count");
  if (vectorizer.min_length < 1 || vectorizer.max_length < vectorizer.min_length ||
      vectorizer.max_skip < 0) {
    return absl::InvalidArgumentError(absl::StrCat("n-grams of ", vectorizer.min_length, " to ",
                                                   vectorizer.max_length, " tokens with up to ",
                                                   vectorizer.max_skip, " skipped between them"));
  }
  std::vector<int64_t> pool = node.Ints("pool_int64s");
  const std::vector<std::string> words = node.Strings("pool_strings");
  if (pool.empty() == words.empty()) {
    return absl::InvalidArgumentError("either pool_strings or pool_int64s must be given");
  }
  vectorizer.of_words = pool.empty();
  for (const std::string& word : words) {
    pool.push_back(vectorizer.words.try_emplace(word, static_cast<int64_t>(vectorizer.words.size()))
                       .first->second);
  }
  const std::vector<int64_t> starts = node.Ints("ngram_counts");
  OC_ASSIGN_OR_RETURN(const int64_t ngrams, AddNgrams(pool, starts, &vectorizer));
  vectorizer.outputs = node.Ints("ngram_indexes");
  vectorizer.weights = node.Floats("weights");
  if (static_cast<int64_t>(vectorizer.outputs.size()) != ngrams ||
      (!vectorizer.weights.empty() && vectorizer.weights.size() != vectorizer.outputs.size())) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", ngrams, " n-grams, ",
                                                   vectorizer.outputs.size(), " ngram_indexes and ",
                                                   vectorizer.weights.size(), " weights"));
  }
  for (const int64_t output : vectorizer.outputs) {
    if (output < 0 || output == INT64_MAX) {
      return absl::InvalidArgumentError(absl::StrCat("ngram_indexes holds ", output));
    }
    vectorizer.width = std::max(vectorizer.width, output + 1);
  }
  return vectorizer;
}

// How often each n-gram is in the row.
std::vector<int64_t> CountNgrams(const Vectorizer& vectorizer, absl::Span<const int64_t> row) {
  std::vector<int64_t> counts(vectorizer.outputs.size(), 0);
  const auto size = static_cast<int64_t>(row.size());
  int64_t shortest = vectorizer.min_length;
  for (int64_t skip = 0; skip <= vectorizer.max_skip && skip < size; ++skip) {
    const int64_t step = skip + 1;
    for (int64_t begin = 0; begin < size; ++begin) {
      int64_t node = 0;
      int64_t at = begin;
      for (int64_t length = 1; length <= vectorizer.max_length && at < size; ++length, at += step) {
        node = vectorizer.tree.Child(node, row[static_cast<size_t>(at)]);
        if (node == NgramTree::kNone) break;
        const int64_t ngram = vectorizer.tree.NgramAt(node);
        if (length >= shortest && ngram != NgramTree::kNone) ++counts[static_cast<size_t>(ngram)];
      }
    }
    // Single tokens are the same whatever is skipped between them.
    shortest = std::max<int64_t>(shortest, 2);
    if (shortest > vectorizer.max_length) break;
  }
  return counts;
}

// The input's tokens; words that are in no n-gram have the number kNone.
absl::StatusOr<std::vector<int64_t>> Tokens(const KernelContext& ctx,
                                            const Vectorizer& vectorizer) {
  if ((ctx.Input(0).dtype() == DType::kString) != vectorizer.of_words) {
    return absl::InvalidArgumentError(absl::StrCat("the input is ", ctx.Input(0).TypeString(),
                                                   ", the pool is of ",
                                                   vectorizer.of_words ? "strings" : "integers"));
  }
  if (!vectorizer.of_words) return ctx.IntsInput(0);
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const auto found = vectorizer.words.find(x.string_data()[i]);
    tokens.push_back(found == vectorizer.words.end() ? NgramTree::kNone : found->second);
  }
  return tokens;
}

// TfIdfVectorizer (ai.onnx 9): for every row (X is one, or a matrix of them) and n-gram i of the
// pool, Y[ngram_indexes[i]] is how often the n-gram is in the row (TF), or whether it is (IDF) or
// how often (TFIDF), times weights[i]. The tokens of an n-gram stand 1 to max_skip_count + 1 apart,
// the same distance throughout.
absl::StatusOr<Kernel> TfIdfVectorizer(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(Vectorizer read, ReadVectorizer(node));
  return [vectorizer = std::make_shared<const Vectorizer>(std::move(read))](
             KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    if (x.rank() != 1 && x.rank() != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("the input has rank ", x.rank(), ", not 1 or 2"));
    }
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> tokens, Tokens(ctx, *vectorizer));
    Shape shape = x.shape();
    shape.back() = vectorizer->width;
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kFloat, shape));
    FillWithZeros(&result);
    auto* out = result.mutable_data<float>();
    const auto columns = static_cast<size_t>(x.shape().back());
    const int64_t distances =
        vectorizer->max_length == 1 ? 1 : 1 + std::min(vectorizer->max_skip, x.shape().back());
    OC_RETURN_IF_ERROR(
        CheckWork(ctx, static_cast<double>(x.num_elements()) * static_cast<double>(distances)));
    for (size_t begin = 0; begin < tokens.size(); begin += columns, out += vectorizer->width) {
      const std::vector<int64_t> counts =
          CountNgrams(*vectorizer, absl::MakeConstSpan(tokens).subspan(begin, columns));
      for (size_t i = 0; i < counts.size(); ++i) {
        int64_t count = counts[i];
        if (vectorizer->weighting == Weighting::kIdf) count = std::min<int64_t>(count, 1);
        const bool weighted =
            vectorizer->weighting != Weighting::kTf && !vectorizer->weights.empty();
        out[vectorizer->outputs[i]] +=
            static_cast<float>(count) * (weighted ? vectorizer->weights[i] : 1.0f);
      }
    }
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterTfIdfVectorizer(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "TfIdfVectorizer", {9}, TfIdfVectorizer);
  registry.Add(kOptimCpuDomain, "TfIdfVectorizer", {1}, TfIdfVectorizer);
}

}  // namespace onnxcmp
