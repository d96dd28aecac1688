// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: creates them in every way, derives others from them, changes bytes of blobs,
// and makes memory of them. The model tells which calls are legal and where elements lie.
#include "support/target.hpp"

#include <array>
#include <optional>

#include "common/unlisted_functions.hpp"
#include "descriptors/model.hpp"

namespace kiln::fuzz {

namespace {

constexpr int most_calls = 24;
constexpr size_t blob_bytes = 768;

/// A value that is seldom sensible.
dnnl_dim_t read_wild(input_t &input) {
    constexpr dnnl_dim_t most = std::numeric_limits<dnnl_dim_t>::max();
    constexpr dnnl_dim_t values[] = {0, -1, DNNL_RUNTIME_DIM_VAL, most, most / 2, most / 8, 1 << 30,
            dnnl_dim_t(1) << 32, dnnl_dim_t(1) << 40, 4097, -(dnnl_dim_t(1) << 32)};
    return input.one_in(8) ? input.any_s64() : input.pick(values);
}

dnnl_dim_t read_dim(input_t &input) {
    return input.one_in(32)  ? read_wild(input)
           : input.one_in(4) ? read_extent(input)
                             : input.between(1, 5);
}

class session_t {
public:
    session_t(const uint8_t *data, size_t size)
        : input_(data, size) {}

    void run();

private:
    using call_t = void (session_t::*)();

    creation_t read_creation();
    dims_t read_strides(const creation_t &creation);
    memory_desc_handle_t &descriptor() { return descriptors_[input_.below(descriptors_.size())]; }
    /// Examines a new descriptor and keeps it.
    void keep(memory_desc_handle_t &&desc);

    void create_with_tag();
    void create_with_strides();
    void create_with_tag_name();
    void create_sparse();
    void create_host_scalar();
    void create_submemory();
    void reshape();
    void permute();
    void change_blob();
    void compare();
    void query();
    void create_memory();

    input_t input_;
    std::array<memory_desc_handle_t, 4> descriptors_;
    size_t oldest_ = 0;
};

creation_t session_t::read_creation() {
    creation_t creation;
    creation.ndims = static_cast<int>(input_.between(1, 4));
    if (input_.one_in(8)) creation.ndims = static_cast<int>(input_.between(0, 12));
    if (input_.one_in(64)) creation.ndims = input_.any_int();
    const int given = std::clamp(creation.ndims, 0, DNNL_MAX_NDIMS);
    for (int d = 0; d < given; ++d) creation.dims.push_back(read_dim(input_));
    creation.type = input_.one_in(4) ? input_.pick(all_types()) : dnnl_f32;
    if (input_.one_in(64)) creation.type = static_cast<dnnl_data_type_t>(input_.any_int());
    return creation;
}

dims_t session_t::read_strides(const creation_t &creation) {
    dims_t strides(creation.dims.size());
    dnnl_dim_t stride = 1;
    for (const int axis : read_permutation(input_, static_cast<int>(strides.size()))) {
        const size_t d = strides.size() - 1 - static_cast<size_t>(axis);
        strides[d] = input_.one_in(16) ? read_wild(input_) : input_.one_in(16) ? 0 : stride;
        const dnnl_dim_t gap = input_.one_in(4) ? input_.between(0, 5) : 0;
        if (__builtin_mul_overflow(stride, std::max<dnnl_dim_t>(creation.dims[d], 1), &stride)
                || __builtin_add_overflow(stride, gap, &stride))
            stride = 1;
    }
    return strides;
}

void session_t::keep(memory_desc_handle_t &&desc) {
    EXPECT_THAT(desc != nullptr, "a call that succeeded gave no descriptor");
    known_layout_t(desc).expect_sound(desc);
    EXPECT_THAT(dnnl_memory_desc_equal(desc, desc), "a descriptor differs from itself");
    memory_desc_handle_t copy;
    succeeded(dnnl_memory_desc_clone(copy.out(), desc), "clone", verdict_t::success);
    EXPECT_THAT(dnnl_memory_desc_equal(desc, copy), "a descriptor differs from its copy");
    descriptors_[oldest_] = std::move(desc);
    oldest_ = (oldest_ + 1) % descriptors_.size();
}

void session_t::create_with_tag() {
    const creation_t creation = read_creation();
    const auto tags = tags_of(std::clamp(creation.ndims, 1, 6));
    dnnl_format_tag_t tag = input_.pick(tags);
    if (input_.one_in(8)) tag = static_cast<dnnl_format_tag_t>(input_.bits(2));
    memory_desc_handle_t desc;
    if (succeeded(dnnl_memory_desc_create_with_tag(
                          desc.out(), creation.ndims, creation.dims.data(), creation.type, tag),
                "create_with_tag", verdict_of_tag(creation, tag)))
        keep(std::move(desc));
}

void session_t::create_with_strides() {
    const creation_t creation = read_creation();
    const dims_t strides = read_strides(creation);
    const bool is_default = input_.one_in(8);
    const verdict_t verdict =
            is_default ? verdict_t::unknown : verdict_of_strides(creation, strides);
    memory_desc_handle_t desc;
    if (succeeded(
                dnnl_memory_desc_create_with_strides(desc.out(), creation.ndims,
                        creation.dims.data(), creation.type, is_default ? nullptr : strides.data()),
                "create_with_strides", verdict))
        keep(std::move(desc));
}

void session_t::create_with_tag_name() {
    const creation_t creation = read_creation();
    std::string name;
    for (const int axis : read_permutation(input_, std::clamp(creation.ndims, 1, 12)))
        name += static_cast<char>((input_.one_in(4) ? 'A' : 'a') + axis);
    for (auto blocks = input_.between(0, 3); blocks > 0; --blocks)
        name += std::to_string(input_.pick({2, 4, 3, 16, 1, 8, 64, 4096, 5000}))
                + static_cast<char>('a' + input_.between(0, std::clamp(creation.ndims - 1, 0, 11)));
    if (input_.one_in(16)) name = input_.text(12);
    memory_desc_handle_t desc;
    if (succeeded(dnnl_memory_desc_create_with_string_tag(desc.out(), creation.ndims,
                          creation.dims.data(), creation.type, name.c_str()),
                "create_with_string_tag", verdict_of_tag_name(creation, name)))
        keep(std::move(desc));
}

void session_t::create_sparse() {
    const creation_t creation = read_creation();
    const dnnl_dim_t nnz = input_.one_in(16) ? read_wild(input_) : input_.between(0, 9);
    const auto indices = input_.one_in(4) ? input_.pick(all_types()) : dnnl_s32;
    const auto pointers = input_.one_in(4) ? input_.pick(all_types()) : dnnl_s32;
    memory_desc_handle_t desc;
    dnnl_status_t status = dnnl_success;
    switch (input_.below(3)) {
    case 0:
        status = dnnl_memory_desc_create_with_csr_encoding(desc.out(), creation.ndims,
                creation.dims.data(), creation.type, nnz, indices, pointers);
        break;
    case 1:
        status = dnnl_memory_desc_create_with_coo_encoding(
                desc.out(), creation.ndims, creation.dims.data(), creation.type, nnz, indices);
        break;
    default:
        status = dnnl_memory_desc_create_with_packed_encoding(
                desc.out(), creation.ndims, creation.dims.data(), creation.type, nnz);
    }
    if (succeeded(status, "create_with_*_encoding")) keep(std::move(desc));
}

void session_t::create_host_scalar() {
    const auto type = input_.pick(all_types());
    const bool is_legal = type != dnnl_boolean && dnnl_data_type_size(type) != 0;
    memory_desc_handle_t desc;
    if (succeeded(dnnl_memory_desc_create_host_scalar(desc.out(), type), "create_host_scalar",
                legal_if(is_legal)))
        keep(std::move(desc));
}

void session_t::create_submemory() {
    const memory_desc_handle_t &parent = descriptor();
    if (!parent) return;
    const known_layout_t whole(parent);
    const size_t ndims = whole.dims().size();
    dims_t dims(ndims), offsets(ndims);
    dims.reserve(1), offsets.reserve(1); // without dimensions, too, the arrays must exist
    bool is_inside = true;
    for (size_t d = 0; d < ndims; ++d) {
        const dnnl_dim_t extent = std::clamp<dnnl_dim_t>(whole.dims()[d], 0, 1 << 20);
        const dnnl_dim_t step = input_.one_in(4) ? 1 : input_.pick({16, 8, 4});
        offsets[d] = input_.between(0, extent / step) * step;
        dims[d] = input_.one_in(2) ? input_.between(0, extent - offsets[d])
                                   : whole.dims()[d] - offsets[d];
        if (input_.one_in(64)) (input_.one_in(2) ? dims : offsets)[d] = read_wild(input_);
        is_inside &= 0 <= dims[d] && 0 <= offsets[d] && offsets[d] <= whole.dims()[d]
                     && dims[d] <= whole.dims()[d] - offsets[d];
    }
    verdict_t verdict = is_inside ? verdict_t::unknown : verdict_t::refusal;
    if (is_inside && whole.is_plain() && whole.is_settled() && !whole.has_front_padding()
            && whole.has_place(offsets))
        verdict = verdict_t::success;
    if (ndims == 0) verdict = verdict_t::success; // a part of no tensor is no tensor
    memory_desc_handle_t desc;
    if (!succeeded(
                dnnl_memory_desc_create_submemory(desc.out(), parent, dims.data(), offsets.data()),
                "create_submemory", verdict))
        return;
    expect_part(known_layout_t(desc), whole, offsets);
    keep(std::move(desc));
}

void session_t::reshape() {
    const memory_desc_handle_t &from = descriptor();
    if (!from) return;
    const known_layout_t layout(from);
    dims_t dims;
    dims.reserve(1);
    // Splits and joins neighbours, and adds and drops axes of one element.
    for (const dnnl_dim_t dim : layout.dims()) {
        if (dim == 1 && input_.one_in(4)) continue;
        if (input_.one_in(4)) dims.push_back(1);
        const dnnl_dim_t factor = input_.pick({1, 2, 3, 4});
        if (!dims.empty() && input_.one_in(4) && dim > 0 && dims.back() > 0
                && dims.back() < (1 << 20) && dim < (1 << 20))
            dims.back() *= dim;
        else if (dim > 1 && dim % factor == 0)
            dims.insert(dims.end(), {dim / factor, factor});
        else
            dims.push_back(dim);
    }
    if (!dims.empty() && input_.one_in(32)) dims[input_.below(dims.size())] = read_wild(input_);
    memory_desc_handle_t desc;
    const int ndims = input_.one_in(64) ? 0 : static_cast<int>(dims.size());
    if (!succeeded(dnnl_memory_desc_reshape(desc.out(), from, ndims, dims.data()), "reshape"))
        return;
    expect_reshaped(known_layout_t(desc), layout);
    keep(std::move(desc));
}

void session_t::permute() {
    const memory_desc_handle_t &from = descriptor();
    if (!from) return;
    const known_layout_t layout(from);
    std::vector<int> permutation = read_permutation(input_, static_cast<int>(layout.dims().size()));
    permutation.reserve(1);
    bool is_permutation = !permutation.empty();
    if (is_permutation && input_.one_in(16)) {
        const size_t changed = input_.below(permutation.size());
        const int other = input_.one_in(2) ? input_.any_int() : 0;
        is_permutation = permutation[changed] == other;
        permutation[changed] = other;
    }
    const verdict_t verdict = !is_permutation       ? verdict_t::refusal
                              : layout.is_settled() ? verdict_t::success
                                                    : verdict_t::unknown;
    memory_desc_handle_t desc;
    if (!succeeded(dnnl_memory_desc_permute_axes(desc.out(), from, permutation.data()),
                "permute_axes", verdict))
        return;
    expect_permuted(known_layout_t(desc), layout, permutation);
    keep(std::move(desc));
}

/// Takes a descriptor's blob, changes some of its numbers, and creates a descriptor of it.
void session_t::change_blob() {
    const memory_desc_handle_t &from = descriptor();
    if (!from) return;
    size_t size = 0;
    succeeded(dnnl_memory_desc_get_blob(nullptr, &size, from), "get_blob", verdict_t::success);
    EXPECT_THAT(size == blob_bytes, "a blob of %zu bytes", size);
    std::vector<uint8_t> blob(size);
    succeeded(dnnl_memory_desc_get_blob(blob.data(), &size, from), "get_blob", verdict_t::success);
    const auto changes = input_.between(0, 4);
    for (int64_t i = 0; i < changes; ++i) {
        // The second half is of zeros, but for what no blocked layout has.
        const size_t field = input_.below((input_.one_in(8) ? blob_bytes : 616) / 4) * 4;
        const dnnl_dim_t value = input_.one_in(4) ? read_wild(input_) : input_.between(0, 40);
        const bool is_long = field % 8 == 0 && field >= 8 && field + 8 <= blob_bytes;
        std::memcpy(blob.data() + field, &value, is_long && !input_.one_in(4) ? 8 : 4);
    }
    memory_desc_handle_t desc;
    const verdict_t verdict = changes == 0 ? verdict_t::success : verdict_t::unknown;
    if (!succeeded(dnnl_memory_desc_create_with_blob(desc.out(), blob.data()), "create_with_blob",
                verdict))
        return;
    EXPECT_THAT(changes != 0 || dnnl_memory_desc_equal(desc, from), "the blob is another tensor");
    keep(std::move(desc));
}

void session_t::compare() {
    const memory_desc_handle_t &lhs = descriptor();
    const memory_desc_handle_t &rhs = descriptor();
    const int answer = dnnl_memory_desc_equal(lhs, rhs);
    EXPECT_THAT(answer == dnnl_memory_desc_equal(rhs, lhs), "equality is not symmetric");
    if (!lhs || !rhs || !answer) return;
    EXPECT_THAT(dnnl_memory_desc_get_size(lhs) == dnnl_memory_desc_get_size(rhs),
            "equal descriptors have different sizes");
    const known_layout_t left(lhs), right(rhs);
    EXPECT_THAT(left.dims() == right.dims(), "equal descriptors have different dims");
    if (left.is_small()) expect_part(left, right, dims_t(left.dims().size()));
}

void session_t::query() {
    const memory_desc_handle_t &desc = descriptor();
    // The longest answer is a pointer or a number of 64 bits.
    alignas(8) std::byte answer[8];
    const auto what = static_cast<dnnl_query_t>(
            input_.one_in(16) ? input_.any_int() : input_.between(dnnl_query_ndims_s32, 320));
    const int index = input_.one_in(16) ? input_.any_int() : static_cast<int>(input_.below(4));
    succeeded(dnnl_memory_desc_query(desc, what, answer), "query");
    succeeded(dnnl_memory_desc_query_v2(desc, what, index, answer), "query_v2");
    dnnl_memory_desc_get_size_v2(desc, index);
}

/// Allocates a tensor. Padding is zero then, and every element lies in the buffer, as a sanitizer
/// sees.
void session_t::create_memory() {
    const memory_desc_handle_t &desc = descriptor();
    if (!desc) return;
    constexpr size_t most = 1 << 16;
    const known_layout_t layout(desc);
    const size_t size = dnnl_memory_desc_get_size(desc);
    const auto offset0 = ask<int64_t>(desc, dnnl_query_submemory_offset_s64);
    if (size > most || offset0 > int64_t(most)) return;
    test::memory_handle_t memory;
    const verdict_t verdict = layout.is_settled() ? verdict_t::success : verdict_t::unknown;
    if (!succeeded(dnnl_memory_create(memory.out(), desc, test::cpu_engine(), DNNL_MEMORY_ALLOCATE),
                "memory_create", verdict))
        return;
    void *data = nullptr;
    succeeded(dnnl_memory_map_data(memory, &data), "map_data", verdict_t::success);
    if (layout.is_small() && data && layout.type() == dnnl_f32)
        test::for_each_index(layout.dims(),
                [&](const dims_t &index) { static_cast<float *>(data)[layout.offset(index)] = 1; });
    succeeded(dnnl_memory_unmap_data(memory, data), "unmap_data", verdict_t::success);
}

void session_t::run() {
    constexpr call_t calls[] = {&session_t::create_with_tag, &session_t::create_with_strides,
            &session_t::create_submemory, &session_t::reshape, &session_t::permute,
            &session_t::change_blob, &session_t::compare, &session_t::create_memory,
            &session_t::create_with_tag_name, &session_t::query, &session_t::create_sparse,
            &session_t::create_host_scalar};
    for (int i = 0; i < most_calls && !input_.is_empty(); ++i) (this->*input_.pick(calls))();
}

} // namespace

} // namespace kiln::fuzz

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kiln::fuzz::session_t(data, size).run();
    return 0;
}
