// SPDX-License-Identifier: Apache-2.0
#include "graph/dump/json.hpp"

#include <charconv>
#include <cmath>
#include <concepts>
#include <ostream>
#include <string_view>

#include "graph/op/names.hpp"
#include "graph/schema/schema.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::graph {

namespace {

/// The number of bytes of the UTF-8 character at the begin of a text; 0 if it is none.
size_t utf8_length(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const size_t length = byte(0) < 0x80                      ? 1
                          : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                          : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                          : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                              : 0;
    if (length == 0 || length > text.size()) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    // Forms that are too long, surrogates and what is beyond Unicode.
    const unsigned lead = length < 3 ? 0xe1u << 8 : unsigned(byte(0)) << 8 | byte(1);
    const bool is_legal = lead >= 0xe0a0 && (lead < 0xeda0 || lead >= 0xee80)
                          && (lead < 0xf080 || lead >= 0xf090) && lead < 0xf490;
    return is_legal ? length : 0;
}

/// JSON text of two spaces a level. Unlike a tree of values, whose destructor may need memory, it
/// survives when memory runs out.
class json_text_t {
public:
    const std::string &text() const { return text_; }

    void begin(char bracket) {
        text_ += bracket;
        ++depth_;
        is_empty_ = true;
    }
    void end(char bracket) {
        --depth_;
        if (!is_empty_) begin_line();
        text_ += bracket;
        is_empty_ = false;
    }
    /// Before an element of a list.
    void element() {
        if (!is_empty_) text_ += ',';
        begin_line();
        is_empty_ = false;
    }
    void key(std::string_view name) {
        element();
        value(name);
        text_ += ": ";
    }
    template <typename T> void member(std::string_view name, const T &content) {
        key(name);
        value(content);
    }

    void value(const char *content) { value(std::string_view(content)); }
    /// Names come from the program: what is no UTF-8 is replaced.
    void value(std::string_view content) {
        text_ += '"';
        while (!content.empty()) {
            const size_t length = utf8_length(content);
            if (length == 0)
                text_ += "\xef\xbf\xbd";
            else if (length == 1)
                ascii(content[0]);
            else
                text_ += content.substr(0, length);
            content.remove_prefix(std::max<size_t>(length, 1));
        }
        text_ += '"';
    }
    /// The shortest decimal number that reads back as the same float; a string for infinities and
    /// NaN, which JSON numbers cannot express.
    void value(float content) {
        if (!std::isfinite(content))
            return value(std::isnan(content) ? "nan" : content > 0 ? "inf" : "-inf");
        char digits[32];
        const std::string_view number(
                digits, std::to_chars(digits, digits + sizeof digits, content).ptr);
        text_ += number;
        if (number.find_first_of(".e") == number.npos) text_ += ".0";
    }
    void value(std::integral auto content) { text_ += std::to_string(content); } // bool: 0 or 1
    template <typename T> void value(const std::vector<T> &list) {
        begin('[');
        for (const T &content : list) {
            element();
            value(content);
        }
        end(']');
    }

private:
    void begin_line() { text_.append(1, '\n').append(2 * depth_, ' '); }
    void ascii(char c) {
        constexpr char hex[] = "0123456789abcdef";
        if (c == '"' || c == '\\')
            (text_ += '\\') += c;
        else if (static_cast<unsigned char>(c) >= 0x20)
            text_ += c;
        else
            ((text_ += "\\u00") += hex[c >> 4]) += hex[c & 15];
    }

    std::string text_;
    size_t depth_ = 0;
    bool is_empty_ = true; ///< nothing is in the innermost brackets yet
};

void write_attr(json_text_t &json, const char *name, const attr_value_t &value) {
    json.key(name);
    json.begin('{');
    json.member("type", name_of(type_of(value)));
    std::visit([&](const auto &content) { json.member("value", content); }, value);
    json.end('}');
}

void write_tensors(
        json_text_t &json, const char *name, const std::vector<logical_tensor_t> &tensors) {
    const shape_t unknown = {unknown_dim};
    json.key(name);
    json.begin('[');
    for (const logical_tensor_t &lt : tensors) {
        json.element();
        json.begin('{');
        json.member("id", lt.id);
        json.member("dtype", dnnl_dt2str(lt.data_type));
        json.member("shape", has_known_shape(lt) ? shape_of(lt) : unknown);
        json.member("stride", has_known_strides(lt)
                                      ? shape_t(lt.layout.strides, lt.layout.strides + lt.ndims)
                                      : unknown);
        json.member("layout_type", name_of(lt.layout_type));
        json.member("property_type", name_of(lt.property));
        json.end('}');
    }
    json.end(']');
}

void write_op(json_text_t &json, const op_t &op, const size_t *partition_id) {
    json.element();
    json.begin('{');
    json.member("id", op.id);
    json.member("name", op.name);
    json.member("kind", name_of(op.kind));
    json.key("attrs");
    json.begin('{');
    for (const auto &[attr, value] : op.attributes) {
        const char *name = name_of(attr); // null for one of a Wildcard that only the program knows
        write_attr(json, name ? name : std::to_string(attr).c_str(), value);
    }
    if (partition_id) {
        write_attr(json, "partition_id", std::to_string(*partition_id));
        write_attr(json, "backend", std::string("kiln"));
    }
    json.end('}');
    write_tensors(json, "inputs", op.inputs);
    write_tensors(json, "outputs", op.outputs);
    json.end('}');
}

} // namespace

void write_json(std::ostream &stream, const graph_view_t &graph) {
    const dnnl_version_t *version = dnnl_version();
    json_text_t json;
    json.begin('{');
    json.member("version", std::to_string(version->major) + '.' + std::to_string(version->minor)
                                   + '.' + std::to_string(version->patch));
    json.member("engine_kind", dnnl_engine_kind2str(graph.engine_kind));
    json.member("fpmath_mode", dnnl_fpmath_mode2str(graph.fpmath_mode));
    json.member("fpmath_mode_apply_to_int", graph.applies_fpmath_to_int ? "true" : "false");
    json.member("input_ports", graph.input_ports);
    json.member("output_ports", graph.output_ports);
    json.key("graph");
    json.begin('[');
    for (size_t i = 0; i < graph.ops.size(); ++i)
        write_op(json, graph.ops[i],
                graph.partition_ids.empty() ? nullptr : &graph.partition_ids[i]);
    json.end(']');
    json.end('}');
    stream << json.text() << '\n';
}

} // namespace kiln::graph
