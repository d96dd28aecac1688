// SPDX-License-Identifier: Apache-2.0
// The matmul driver: its knobs and its descriptors.
#include "common/driver/product_driver.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "matmul/problem.hpp"

namespace benchdnn::matmul {

namespace {

struct settings_t : shared_settings_t {
    std::vector<dnnl_data_type_t> bias_type{dnnl_data_type_undef};
    std::vector<int> bias_mask{2};
};

strides_t parse_strides(const std::string &text) {
    strides_t strides;
    const auto pieces = split(text, ':');
    if (pieces.size() != 3)
        throw bad_value_t(text, "SRC:WEIGHTS:DST is expected; each may be empty");
    for (size_t i = 0; i < 3; ++i)
        if (!pieces[i].empty()) strides[i] = parse_dims(pieces[i]);
    return strides;
}

constexpr integers_t masks{0, (1 << DNNL_MAX_NDIMS) - 1};

runtime_dims_t parse_runtime_dims(const std::string &text) {
    if (text.empty()) return {};
    const auto pieces = split(text, ':');
    if (pieces.size() > 2) throw bad_value_t(text, "SRC[:WEIGHTS] is expected");
    runtime_dims_t result;
    result.src = static_cast<unsigned>(parse_number(pieces[0], masks));
    if (pieces.size() == 2) result.weights = static_cast<unsigned>(parse_number(pieces[1], masks));
    return result;
}

// The texts of memory that the driver skips are checked and kept.
std::string parse_encoding(const std::string &text) {
    for (const std::string &tensor : split(text, ':')) {
        const size_t plus = tensor.find('+');
        const std::string name = tensor.substr(0, plus);
        if (name != "" && name != "csr" && name != "coo" && name != "packed")
            throw bad_value_t(text, "csr, coo or packed is expected");
        if (plus != std::string::npos) parse_number(tensor.substr(plus + 1), all_f32);
    }
    return text;
}

std::string parse_grouped(const std::string &text) {
    if (text.empty()) return text;
    for (const std::string &piece : split(text, ':'))
        for (const std::string &number : split(piece, '+')) parse_number(number, counts_from_0);
    return text;
}

class matmul_driver_t final : public product_driver_t<spec_t, matmul_problem_t, settings_t> {
public:
    matmul_driver_t();

    std::string name() const override { return "matmul"; }
    std::string descriptor_help() const override {
        return "the dims of src and of weights, 1 or the other's along axes of the batch, and a "
               "name: 12x128x64:12x64x128_n\"scores\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
    std::vector<spec_t> specs_behind_attributes(const spec_t &spec) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override { return "%dt%,%stag%,%wtag%,%dtag%"; }
};

matmul_driver_t::matmul_driver_t() {
    add_product_knobs(knobs_,
            {values_of(&spec_t::type), settings_.bias_type, values_of(&spec_t::src_tag),
                    values_of(&spec_t::weights_tag), values_of(&spec_t::dst_tag)},
            "none");
    add_list(knobs_, values_of(&spec_t::strides),
            {"strides", "SRC:WEIGHTS:DST, each empty or the strides joined by x",
                    "Strides instead of tags.", "--strides=8x1::8x1", {}},
            parse_strides);
    for (const char *name : {"bia_mask", "bia-mask"})
        add_list(knobs_, settings_.bias_mask,
                {name, "a bit for each dimension", "The axes along which bias has dst's extent.",
                        std::string("--") + name + "=2,3", {}},
                [](const std::string &text) {
                    return static_cast<int>(parse_number(text, masks));
                });
    add_list(knobs_, values_of(&spec_t::runtime_dims),
            {"runtime_dims_masks", "SRC:WEIGHTS, a bit for each dimension",
                    "Dimensions that only the execution knows.", "--runtime_dims_masks=1:0,3:3",
                    {}},
            parse_runtime_dims);
    add_list(knobs_, values_of(&spec_t::encoding),
            {"encoding", "SRC:WEIGHTS:DST, each empty or as in csr+0.9",
                    "Sparse tensors. Problems that have some are skipped.",
                    "--encoding=csr+0.9::", {}},
            parse_encoding);
    add_list(knobs_, values_of(&spec_t::grouped),
            {"grouped", "AXIS:GROUPS:SIZES", "Grouped memory. Its problems are skipped.",
                    "--grouped=0:2:8+8", {}},
            parse_grouped);
    add_shared_knobs(knobs_, settings_);
}

spec_t matmul_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    named_shapes_t named = parse_named_shapes(descriptor);
    // The dims of dst may be given, too; they follow from the others.
    if (named.shapes.size() != 2 && named.shapes.size() != 3)
        throw bad_value_t(
                descriptor, "the dims of src and of weights are expected, as in 4x8:8x16");
    spec.src = named.shapes[0];
    spec.weights = named.shapes[1];
    spec.name = named.name;
    return spec;
}

std::vector<spec_t> matmul_driver_t::specs_behind_attributes(const spec_t &spec) const {
    std::vector<spec_t> all;
    for (const dnnl_data_type_t type : settings_.bias_type)
        for (const int mask : settings_.bias_mask) {
            all.push_back(spec);
            all.back().bias = {type, mask};
            if (type == dnnl_data_type_undef) break; // masks make no difference
        }
    return all;
}

void matmul_driver_t::require(const spec_t &spec, const options_t &options) const {
    if (!spec.has_plain_memory()) return;
    const size_t ndims = spec.src.size();
    if (ndims < 2 || spec.weights.size() != ndims)
        throw bad_value_t(dims_text(spec.weights), "as many dimensions as src's are expected, at "
                                                   "least 2");
    if (spec.src[ndims - 1] != spec.weights[ndims - 2])
        throw bad_value_t(dims_text(spec.weights),
                "src's columns, " + std::to_string(spec.src[ndims - 1]) + ", are expected as rows");
    for (size_t axis = 0; axis + 2 < ndims; ++axis)
        if (spec.src[axis] != spec.weights[axis] && spec.src[axis] != 1 && spec.weights[axis] != 1)
            throw bad_value_t(dims_text(spec.weights),
                    "along axes of the batch each extent must be that of src, or one be 1");
    for (const std::string &tag : {spec.src_tag, spec.weights_tag, spec.dst_tag})
        require_layout(tag, spec.ndims(), options.enumerated_tags_only);
    require_strides(spec.strides[0], spec.src);
    require_strides(spec.strides[1], spec.weights);
    require_strides(spec.strides[2], spec.dst());
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<matmul_driver_t>(); }

} // namespace benchdnn::matmul
