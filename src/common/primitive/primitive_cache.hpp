// SPDX-License-Identifier: Apache-2.0
// The primitive cache: primitives by the descriptors that they were made for.
#pragma once

#include <memory>

#include "common/primitive/primitive.hpp"
#include "common/primitive/shared_cache.hpp"

namespace kiln {

class primitive_cache_t {
public:
    using value_t = std::shared_ptr<const cached_primitive_t>;

    explicit primitive_cache_t(int capacity)
        : cache_(capacity) {}

    /// The primitive for `pd`. `hit` tells whether it was in the cache.
    status_t get(const std::shared_ptr<const primitive_desc_t> &pd, value_t &value, bool &hit);

    /// The descriptor of a primitive in the cache that answers the request; null if there is none.
    std::shared_ptr<const primitive_desc_t> find(const pd_request_t &request) const {
        const std::optional<key_t> key = cache_.find(request);
        return key ? key->pd : nullptr;
    }

    int capacity() const { return cache_.capacity(); }
    void set_capacity(int capacity) { cache_.set_capacity(capacity); }
    void drop_unless_in_use() { cache_.drop_unless_in_use(); }
    int size() const { return cache_.size(); }

private:
    struct key_t {
        std::shared_ptr<const primitive_desc_t> pd;
        bool operator==(const key_t &other) const { return pd->same_primitive(*other.pd); }
        bool operator==(const pd_request_t &request) const { return request.is_answered_by(*pd); }
    };
    struct key_hash_t {
        using is_transparent = void;
        size_t operator()(const key_t &key) const { return key.pd->hash(); }
        size_t operator()(const pd_request_t &request) const { return request.hash; }
    };

    shared_cache_t<key_t, value_t, key_hash_t> cache_;
};

/// The cache behind the C interface.
primitive_cache_t &primitive_cache();

} // namespace kiln
