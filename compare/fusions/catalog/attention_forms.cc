#include "absl/strings/str_cat.h"
#include "compare/fusions/catalog/fusion_forms.h"

namespace onnxcmp {

// softmax(scale * q k^T + mask) v. The scale may be applied to the scores, to q, to k or to both;
// masks are added or selected by Where; fully masked rows may be set to 0 after the softmax.
void AddAttentionForms(FusionForms* forms, NamedPatterns* named) {
  named->insert({
      {"product", "(MatMul($1, $2) | ms:FusedMatMul($1, $2) | ms:TransposeMatMul($1, $2))"},
      {"scores", "{~ * @product({~ * q}, {~ * k})}"},
      {"masked",
       "(@scores() | {@scores() + _} | {@scores() + _ + _} | Where(_, @scores(), _) |"
       " Where(_, _, @scores()))"},
      {"softmax",
       "(Softmax[axis=-1|2|3](@masked()) | Softmax[axis=absent](@masked()) |"
       " ms:BiasSoftmax(@scores(), _))"},
      {"probabilities", "(@softmax() | Where(IsNaN(p=@softmax()), #, p=@softmax()))"},
  });
  forms->push_back(
      {FusionFamily::kAttention, "attention", "@product(@probabilities(), v)", {"q", "k", "v"}});
  for (const char* op : {"any:Attention", "ms:MultiHeadAttention", "ms:GroupQueryAttention",
                         "ms:PackedAttention", "ms:PackedMultiHeadAttention",
                         "ms:DecoderMaskedMultiHeadAttention", "ms:DecoderMaskedSelfAttention",
                         "ms:DecoderAttention", "ms:QAttention", "ms:QOrderedAttention",
                         "ms:LongformerAttention", "ms:SparseAttention", "ms:PagedAttention"}) {
    const std::string name = op;
    forms->push_back(
        {FusionFamily::kAttention, name.substr(name.find(':') + 1), absl::StrCat(op, "(_, ...)")});
  }
}

}  // namespace onnxcmp
