#include "compare/fusions/catalog/fusion_forms.h"

namespace onnxcmp {

void AddRotaryForms(FusionForms* forms, NamedPatterns* named) {
  named->insert({
      {"part", "(Slice(x, ...) | Split:*(x, ...) | Gather(x, #))"},
      // x1 cos - x2 sin, x2 cos + x1 sin
      {"turned_first", "{{@part() * _} - {@part() * _}}"},
      {"turned_second", "{{@part() * _} + {@part() * _}}"},
  });
  const auto add = [forms](const char* name, const char* pattern) {
    forms->push_back({FusionFamily::kRotary, name, pattern});
  };
  // x cos + (-x2, x1) sin
  add("rotary (half)", "{{x * _} + {Concat(Neg(@part()), @part()) * _}}");
  add("rotary (half)", "Concat(@turned_first(), @turned_second())");
  add("rotary (interleaved)", "(Reshape(@pairs(), _) | Flatten(@pairs()))");
  add("rotary (interleaved)", "{{x * _} + {(Reshape(@turned_pairs(), _)) * _}}");
  add("RotaryEmbedding", "any:RotaryEmbedding(x, ...)");
  add("MRotaryEmbedding", "ms:MRotaryEmbedding(x, ...)");
  named->insert({
      {"pairs", "Concat(Unsqueeze(@turned_first(), ...), Unsqueeze(@turned_second(), ...))"},
      {"turned_pairs", "Concat(Unsqueeze(Neg(@part()), ...), Unsqueeze(@part(), ...))"},
  });
}

}  // namespace onnxcmp
