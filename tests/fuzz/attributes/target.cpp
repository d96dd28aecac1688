// SPDX-License-Identifier: Apache-2.0
// Primitive attributes and post-ops: sets and reads them in any order, legal and illegal. The model
// tells which calls succeed and what is read back.
#include "support/target.hpp"

#include <cmath>
#include <map>
#include <memory>

#include "attributes/model.hpp"
#include "support/post_op_input.hpp"

namespace kiln::fuzz {

namespace {

constexpr int most_calls = 40;
constexpr size_t most_post_ops = 32;

class session_t {
public:
    session_t(const uint8_t *data, size_t size)
        : input_(data, size) {
        for (subject_t &subject : subjects_)
            succeeded(dnnl_primitive_attr_create(subject.attr.out()), "attr_create",
                    verdict_t::success);
        succeeded(dnnl_post_ops_create(post_ops_.out()), "post_ops_create", verdict_t::success);
    }

    void run();

private:
    using call_t = void (session_t::*)();
    struct subject_t {
        test::attr_handle_t attr;
        attr_model_t model;
    };

    /// A mode of an enumeration from `low` to `high`, or any number.
    template <typename mode_t> mode_t read_mode(int low, int high) {
        return static_cast<mode_t>(
                input_.one_in(16) ? input_.any_int() : input_.between(low, high));
    }
    quantization_t read_quantization(std::initializer_list<dnnl_data_type_t> types);
    int read_arg();
    subject_t &subject() { return subjects_[input_.below(2)]; }

    void set_scales();
    void set_zero_points();
    void set_precomputed_reductions();
    void set_modes();
    void set_rounding();
    void set_dropout();
    void set_rnn_qparams();
    void set_weights_qparams();
    void append();
    void give_post_ops();
    void copy();
    void use();

    void expect_modes(const subject_t &subject);
    void expect_chain(const_dnnl_post_ops_t post_ops, const chain_t &chain);

    input_t input_;
    subject_t subjects_[2];
    test::post_ops_handle_t post_ops_;
    chain_t chain_;
};

int session_t::read_arg() {
    constexpr int args[] = {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_SRC_1,
            DNNL_ARG_SRC_2, DNNL_ARG_WEIGHTS_1, DNNL_ARG_WEIGHTS_2, DNNL_ARG_DIFF_SRC,
            DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_MULTIPLE_SRC + 1,
            DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, DNNL_ARG_SCRATCHPAD};
    return input_.one_in(32) ? input_.any_int() : input_.pick(args);
}

quantization_t session_t::read_quantization(std::initializer_list<dnnl_data_type_t> types) {
    quantization_t q;
    q.arg = read_arg();
    q.mask = input_.one_in(32) ? input_.any_int() : static_cast<int>(input_.between(0, 15));
    q.group_ndims = input_.one_in(4) ? 2 : 0;
    if (input_.one_in(32)) q.group_ndims = input_.any_int();
    if (q.group_ndims != 0 && !input_.one_in(16))
        for (int d = 0; d < 2; ++d)
            q.groups.push_back(input_.one_in(16) ? input_.any_s64() : input_.between(1, 32));
    q.type = input_.one_in(8) ? input_.pick(all_types()) : input_.pick(types);
    q.is_on_host = input_.one_in(8);
    q.mode = read_mode<dnnl_quantization_mode_t>(
            dnnl_quantization_mode_static_sazp, dnnl_quantization_mode_dynamic_fp);
    return q;
}

void session_t::set_scales() {
    quantization_t q = read_quantization({dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_e8m0, dnnl_f8_e4m3});
    const auto attr = subject().attr.operator dnnl_primitive_attr_t();
    const dnnl_dim_t *groups = q.groups.empty() ? nullptr : q.groups.data();
    const size_t version = input_.below(4);
    if (version < 3) q.mode = dnnl_quantization_mode_static_sazp;
    if (version < 2) q.is_on_host = 0;
    if (version == 0) q.group_ndims = 0, q.type = dnnl_f32;
    const auto call = [&] {
        switch (version) {
        case 0: return dnnl_primitive_attr_set_scales_mask(attr, q.arg, q.mask);
        case 1:
            return dnnl_primitive_attr_set_scales(
                    attr, q.arg, q.mask, q.group_ndims, groups, q.type);
        case 2:
            return dnnl_primitive_attr_set_scales_v2(
                    attr, q.arg, q.mask, q.group_ndims, groups, q.type, q.is_on_host);
        default:
            return dnnl_primitive_attr_set_scales_v3(
                    attr, q.arg, q.mask, q.group_ndims, groups, q.type, q.is_on_host, q.mode);
        }
    };
    succeeded(call(), "set_scales", legal_if(q.are_legal_scales()));
}

void session_t::set_zero_points() {
    quantization_t q = read_quantization({dnnl_s32, dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4});
    const auto attr = subject().attr.operator dnnl_primitive_attr_t();
    const dnnl_dim_t *groups = q.groups.empty() ? nullptr : q.groups.data();
    const size_t version = input_.below(3);
    if (version < 2) q.is_on_host = 0;
    if (version == 0) q.group_ndims = 0, q.type = dnnl_s32;
    const auto call = [&] {
        switch (version) {
        case 0: return dnnl_primitive_attr_set_zero_points_mask(attr, q.arg, q.mask);
        case 1:
            return dnnl_primitive_attr_set_zero_points(
                    attr, q.arg, q.mask, q.group_ndims, groups, q.type);
        default:
            return dnnl_primitive_attr_set_zero_points_v2(
                    attr, q.arg, q.mask, q.group_ndims, groups, q.type, q.is_on_host);
        }
    };
    succeeded(call(), "set_zero_points", legal_if(q.are_legal_zero_points()));
}

void session_t::set_precomputed_reductions() {
    quantization_t q = read_quantization({dnnl_s32});
    q.is_on_host = 0;
    const bool is_legal = q.is_consistent() && q.arg == DNNL_ARG_SRC && q.type == dnnl_s32;
    const auto attr = subject().attr.operator dnnl_primitive_attr_t();
    succeeded(dnnl_primitive_attr_set_precomputed_reductions(attr, q.arg, q.mask, q.group_ndims,
                      q.groups.empty() ? nullptr : q.groups.data(), q.type),
            "set_precomputed_reductions", legal_if(is_legal));
}

void session_t::set_modes() {
    subject_t &s = subject();
    switch (input_.below(5)) {
    case 0: {
        const auto mode = read_mode<dnnl_fpmath_mode_t>(0, 5);
        const bool is_known = is_one_of(
                mode, {dnnl_fpmath_mode_strict, dnnl_fpmath_mode_bf16, dnnl_fpmath_mode_f16,
                              dnnl_fpmath_mode_any, dnnl_fpmath_mode_tf32});
        if (succeeded(dnnl_primitive_attr_set_fpmath_mode(s.attr, mode), "set_fpmath_mode",
                    legal_if(is_known)))
            s.model.fpmath = mode, s.model.fpmath_for_integers = false;
        break;
    }
    case 1: {
        const int for_integers = static_cast<int>(input_.between(-1, 2));
        const auto mode = read_mode<dnnl_fpmath_mode_t>(0, 4);
        if (succeeded(dnnl_primitive_attr_set_fpmath_mode_v2(s.attr, mode, for_integers),
                    "set_fpmath_mode_v2"))
            s.model.fpmath = mode, s.model.fpmath_for_integers = for_integers != 0;
        break;
    }
    case 2: {
        const auto mode = read_mode<dnnl_accumulation_mode_t>(0, 6);
        const bool is_known =
                dnnl_accumulation_mode_strict <= mode && mode <= dnnl_accumulation_mode_f16;
        if (succeeded(dnnl_primitive_attr_set_accumulation_mode(s.attr, mode),
                    "set_accumulation_mode", legal_if(is_known)))
            s.model.accumulation = mode;
        break;
    }
    case 3: {
        const auto mode = read_mode<dnnl_scratchpad_mode_t>(0, 2);
        const bool is_known =
                is_one_of(mode, {dnnl_scratchpad_mode_library, dnnl_scratchpad_mode_user});
        if (succeeded(dnnl_primitive_attr_set_scratchpad_mode(s.attr, mode), "set_scratchpad_mode",
                    legal_if(is_known)))
            s.model.scratchpad = mode;
        break;
    }
    default: {
        const int value = static_cast<int>(input_.between(-1, 2));
        succeeded(dnnl_primitive_attr_set_deterministic(s.attr, value), "set_deterministic",
                verdict_t::success);
        s.model.deterministic = value != 0;
    }
    }
}

void session_t::set_rounding() {
    subject_t &s = subject();
    const int arg = read_arg();
    const auto mode = read_mode<dnnl_rounding_mode_t>(
            dnnl_rounding_mode_environment, dnnl_rounding_mode_stochastic);
    // What is as it is by default may be said of any argument.
    const bool is_legal =
            mode == dnnl_rounding_mode_environment
            || (mode == dnnl_rounding_mode_stochastic
                    && is_one_of(arg, {DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS}));
    if (succeeded(dnnl_primitive_attr_set_rounding(s.attr, arg, mode), "set_rounding",
                legal_if(is_legal)))
        s.model.rounding[arg] = mode;
    const int asked = read_arg();
    dnnl_rounding_mode_t there{};
    succeeded(dnnl_primitive_attr_get_rounding(s.attr, asked, &there), "get_rounding",
            verdict_t::success);
    const auto known = s.model.rounding.find(asked);
    EXPECT_THAT(there
                        == (known == s.model.rounding.end() ? dnnl_rounding_mode_environment
                                                            : known->second),
            "another rounding mode of argument %d", asked);
}

void session_t::set_dropout() {
    subject_t &s = subject();
    const dims_t dims = read_dims(input_, 1, 4, 256);
    const auto type = input_.one_in(4) ? input_.pick(element_types()) : dnnl_u8;
    auto mask =
            std::make_shared<memory_desc_handle_t>(read_layout(input_, dims, type, role_t::output));
    const auto seed_type = input_.pick({dnnl_s32, dnnl_s64, dnnl_f32, dnnl_data_type_undef});
    const bool is_legal = type == dnnl_u8 && is_one_of(seed_type, {dnnl_s32, dnnl_s64});
    const int use_offset = input_.one_in(2), use_host_scalars = input_.one_in(2);
    if (input_.one_in(4)) {
        if (!succeeded(dnnl_primitive_attr_set_dropout(s.attr, *mask), "set_dropout",
                    legal_if(type == dnnl_u8)))
            return;
        s.model.seed_type = dnnl_s32, s.model.use_offset = s.model.use_host_scalars = false;
    } else {
        if (!succeeded(dnnl_primitive_attr_set_dropout_v2(
                               s.attr, *mask, seed_type, use_offset, use_host_scalars),
                    "set_dropout_v2", legal_if(is_legal)))
            return;
        s.model.seed_type = seed_type;
        s.model.use_offset = use_offset, s.model.use_host_scalars = use_host_scalars;
    }
    s.model.dropout_mask = std::move(mask);
}

void session_t::set_rnn_qparams() {
    subject_t &s = subject();
    s.model.rnn_scale = input_.number(), s.model.rnn_shift = input_.number();
    succeeded(
            dnnl_primitive_attr_set_rnn_data_qparams(s.attr, s.model.rnn_scale, s.model.rnn_shift),
            "set_rnn_data_qparams", verdict_t::success);
}

void session_t::set_weights_qparams() {
    subject_t &s = subject();
    const bool is_projection = input_.one_in(2);
    qparams_t qparams;
    qparams.mask = static_cast<int>(input_.between(0, 31)) - (input_.one_in(16) ? 32 : 0);
    qparams.scales.assign(input_.below(9), input_.number());
    const auto set = is_projection ? dnnl_primitive_attr_set_rnn_weights_projection_qparams
                                   : dnnl_primitive_attr_set_rnn_weights_qparams;
    if (succeeded(set(s.attr, static_cast<dnnl_dim_t>(qparams.scales.size()), qparams.mask,
                          qparams.scales.data()),
                "set_rnn_weights_qparams", legal_if(!qparams.scales.empty() && qparams.mask >= 0)))
        (is_projection ? s.model.projection : s.model.weights) = qparams;
}

void session_t::append() {
    const auto op = std::make_shared<post_op_input_t>(
            read_post_op(input_, read_dims(input_, 1, 5, 512), true));
    // Repeated, so that the limit is reached.
    for (int64_t count = input_.one_in(16) ? input_.between(1, 40) : 1; count > 0; --count) {
        if (chain_.size() == most_post_ops) {
            const auto status = op->append_to(post_ops_);
            EXPECT_THAT(status != dnnl_success, "more than %zu post-ops", most_post_ops);
            return;
        }
        if (!succeeded(op->append_to(post_ops_), "post_ops_append_*", op->verdict())) return;
        chain_.push_back(op);
    }
}

void session_t::give_post_ops() {
    subject_t &s = subject();
    succeeded(dnnl_primitive_attr_set_post_ops(s.attr, post_ops_), "set_post_ops",
            verdict_t::success);
    s.model.chain = chain_;
    if (!input_.one_in(4)) return;
    succeeded(dnnl_post_ops_create(post_ops_.out()), "post_ops_create", verdict_t::success);
    chain_.clear();
}

void session_t::copy() {
    const subject_t &from = subjects_[0];
    succeeded(dnnl_primitive_attr_clone(subjects_[1].attr.out(), from.attr), "attr_clone",
            verdict_t::success);
    subjects_[1].model = from.model;
    test::post_ops_handle_t clone;
    succeeded(dnnl_post_ops_clone(clone.out(), post_ops_), "post_ops_clone", verdict_t::success);
    expect_chain(clone, chain_);
}

/// Describes a reorder with the attributes; it may be refused.
void session_t::use() {
    const dims_t dims = read_dims(input_, 1, 5, 512);
    const auto src = test::make_desc(dims, input_.pick(element_types()));
    const auto dst = test::make_desc(dims, input_.pick(element_types()));
    test::primitive_desc_handle_t primitive_desc;
    succeeded(dnnl_reorder_primitive_desc_create(primitive_desc.out(), src, test::cpu_engine(), dst,
                      test::cpu_engine(), subject().attr),
            "reorder");
}

void session_t::expect_chain(const_dnnl_post_ops_t post_ops, const chain_t &chain) {
    const auto count = static_cast<int>(chain.size());
    EXPECT_THAT(dnnl_post_ops_len(post_ops) == count, "there are %d post-ops, not %d",
            dnnl_post_ops_len(post_ops), count);
    for (int i = 0; i < count; ++i) chain[static_cast<size_t>(i)]->expect_entry(post_ops, i);
    for (const int outside : {-1, count})
        EXPECT_THAT(dnnl_post_ops_get_kind(post_ops, outside) == dnnl_undefined_primitive,
                "there is a post-op %d", outside);
}

void session_t::expect_modes(const subject_t &subject) {
    const attr_model_t &model = subject.model;
    const auto attr = subject.attr.operator dnnl_primitive_attr_t();
    dnnl_fpmath_mode_t fpmath{};
    int for_integers = 0, deterministic = 0, use_offset = 0, use_host_scalars = 0;
    dnnl_accumulation_mode_t accumulation{};
    dnnl_scratchpad_mode_t scratchpad{};
    const_dnnl_memory_desc_t mask = nullptr;
    dnnl_data_type_t seed_type{};
    const auto ask = [](dnnl_status_t status) { succeeded(status, "get_*", verdict_t::success); };
    ask(dnnl_primitive_attr_get_fpmath_mode_v2(attr, &fpmath, &for_integers));
    ask(dnnl_primitive_attr_get_accumulation_mode(attr, &accumulation));
    ask(dnnl_primitive_attr_get_scratchpad_mode(attr, &scratchpad));
    ask(dnnl_primitive_attr_get_deterministic(attr, &deterministic));
    ask(dnnl_primitive_attr_get_dropout_v2(
            attr, &mask, &seed_type, &use_offset, &use_host_scalars));
    EXPECT_THAT(fpmath == model.fpmath && bool(for_integers) == model.fpmath_for_integers
                        && accumulation == model.accumulation && scratchpad == model.scratchpad
                        && bool(deterministic) == model.deterministic,
            "a mode came back changed");
    EXPECT_THAT(
            seed_type == model.seed_type && bool(use_offset) == model.use_offset
                    && bool(use_host_scalars) == model.use_host_scalars
                    && (!model.dropout_mask || dnnl_memory_desc_equal(mask, *model.dropout_mask)),
            "dropout came back changed");
    for (const bool is_projection : {false, true}) {
        const qparams_t &qparams = is_projection ? model.projection : model.weights;
        dnnl_dim_t count = 0;
        int there = 0;
        const float *scales = nullptr;
        const auto get = is_projection ? dnnl_primitive_attr_get_rnn_weights_projection_qparams
                                       : dnnl_primitive_attr_get_rnn_weights_qparams;
        ask(get(attr, &count, &there, &scales));
        EXPECT_THAT(there == qparams.mask && count == static_cast<dnnl_dim_t>(qparams.scales.size())
                            && std::memcmp(scales, qparams.scales.data(), 4 * qparams.scales.size())
                                       == 0,
                "the scales of weights came back changed");
    }
}

void session_t::run() {
    constexpr call_t calls[] = {&session_t::append, &session_t::set_scales,
            &session_t::set_zero_points, &session_t::set_modes, &session_t::give_post_ops,
            &session_t::use, &session_t::set_rounding, &session_t::set_dropout,
            &session_t::set_precomputed_reductions, &session_t::set_rnn_qparams,
            &session_t::set_weights_qparams, &session_t::copy};
    for (int i = 0; i < most_calls && !input_.is_empty(); ++i) (this->*input_.pick(calls))();
    expect_chain(post_ops_, chain_);
    for (const subject_t &subject : subjects_) {
        const_dnnl_post_ops_t post_ops = nullptr;
        succeeded(dnnl_primitive_attr_get_post_ops(subject.attr, &post_ops), "get_post_ops",
                verdict_t::success);
        expect_chain(post_ops, subject.model.chain);
        expect_modes(subject);
    }
}

} // namespace

} // namespace kiln::fuzz

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kiln::fuzz::session_t(data, size).run();
    return 0;
}
