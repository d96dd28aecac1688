// SPDX-License-Identifier: Apache-2.0
// The types of the primitive interface: formats, kinds, attributes, execution arguments, queries.

#ifndef ONEAPI_DNNL_DNNL_TYPES_H
#define ONEAPI_DNNL_DNNL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Memory formats -------------------------------------------------------------------------------

/// The kind of layout of a memory descriptor.
typedef enum {
    dnnl_format_kind_undef = 0,       ///< None: the zero descriptor.
    dnnl_format_kind_any = 1,         ///< Chosen by the implementation.
    dnnl_blocked = 2,                 ///< Strides and inner blocks. Plain layouts have no blocks.
    dnnl_format_kind_opaque = 3,      ///< A layout that only the library knows.
    dnnl_format_kind_sparse = 4,      ///< A sparse encoding.
    dnnl_format_kind_host_scalar = 5, ///< One value in host memory.

    dnnl_format_kind_max = 0x7fff, ///< Not a kind; makes the enumeration at least 16 bits wide.
} dnnl_format_kind_t;

/// How the nonzero elements of a sparse tensor are stored.
typedef enum {
    dnnl_sparse_encoding_undef = 0, ///< Unspecified.
    dnnl_csr = 1,                   ///< Compressed rows: values, column indices, row pointers.
    dnnl_packed = 2,                ///< A layout of the library.
    dnnl_coo = 3, ///< Coordinates: values, then an array of indices for each dimension.
} dnnl_sparse_encoding_t;

// clang-format off
/// A named layout of a tensor. The letters of a name are the axes in memory order, outermost first:
/// a is the first logical axis, b the second, and so on. An upper-case axis is divided into blocks,
/// and the letter stands for the index of the block. The numbers at the end are the block sizes,
/// innermost last, each with its axis: aBcd16b is a, blocks of b, c, d, then 16 elements of b.
///
/// If the extent of a blocked axis is not a multiple of the block, the rest of the last block is
/// padding, which is zero.
///
typedef enum {
    dnnl_format_tag_undef = 0, ///< None: the zero descriptor.
    dnnl_format_tag_any = 1,   ///< The implementation chooses the format.

    // Plain, axes in their logical order.
    dnnl_a = 2, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde, dnnl_abcdef, dnnl_abcdefg, dnnl_abcdefgh,
    dnnl_abcdefghi, dnnl_abcdefghij, dnnl_abcdefghijk, dnnl_abcdefghijkl,

    // Plain, axes permuted; the last letter has the smallest stride.
    dnnl_ba, dnnl_acb, dnnl_bac, dnnl_bca, dnnl_cab, dnnl_cba, dnnl_abdc, dnnl_acbd, dnnl_acdb,
    dnnl_adbc, dnnl_adcb, dnnl_bacd, dnnl_bcda, dnnl_cdab, dnnl_cdba, dnnl_dcab, dnnl_abced,
    dnnl_abdec, dnnl_acbde, dnnl_acdeb, dnnl_adecb, dnnl_bacde, dnnl_bcdea, dnnl_cdeab, dnnl_cdeba,
    dnnl_decab, dnnl_abcdfe, dnnl_abdefc, dnnl_abdfce, dnnl_acbdef, dnnl_adefcb, dnnl_defcab,
    dnnl_abcdegf, dnnl_abcdefhg, dnnl_abcdefgih, dnnl_abcdefghji, dnnl_abcdefghikj,
    dnnl_abcdefghijlk,

    // Blocked, in the order of their values. A few plain formats that were added later are among
    // them.
    dnnl_Abc16a = 52, dnnl_ABc16a16b, dnnl_ABc32a32b, dnnl_ABc4a4b, dnnl_aBc16b, dnnl_ABc16b16a,
    dnnl_Abc4a, dnnl_aBc32b, dnnl_aBc4b, dnnl_ABc4b16a4b, dnnl_ABc2b8a4b, dnnl_ABc16b16a4b,
    dnnl_ABc16b16a2b, dnnl_ABc4b4a, dnnl_ABc8a16b2a, dnnl_ABc8a8b, dnnl_ABc8a4b, dnnl_aBc8b,
    dnnl_ABc8b16a2b, dnnl_BAc8a16b2a, dnnl_ABc8b8a, dnnl_Abcd16a, dnnl_Abcd8a, dnnl_ABcd16a16b,
    dnnl_Abcd32a, dnnl_ABcd32a32b, dnnl_aBcd16b, dnnl_ABcd16b16a, dnnl_aBCd16b16c, dnnl_aBCd16c16b,
    dnnl_Abcd4a, dnnl_aBcd32b, dnnl_aBcd4b, dnnl_ABcd4b16a4b, dnnl_ABcd16b16a4b, dnnl_ABcd16b16a2b,
    dnnl_ABcd4b4a, dnnl_ABcd4a4b, dnnl_aBCd2c4b2c, dnnl_aBCd4b8c2b, dnnl_aBCd4c16b4c,
    dnnl_aBCd2c8b4c, dnnl_aBCd16c16b4c, dnnl_aBCd16c16b2c, dnnl_aBCd4c4b, dnnl_aBCd4b4c,
    dnnl_ABcd8a16b2a, dnnl_ABcd2b8a4b, dnnl_ABcd8a8b, dnnl_ABcd8a4b, dnnl_aBcd8b, dnnl_aBCd4c8b2c,
    dnnl_ABcd8b16a2b, dnnl_aBCd8b16c2b, dnnl_BAcd8a16b2a, dnnl_ABcd8b8a, dnnl_aBCd8b8c,
    dnnl_aBCd8b4c, dnnl_aBCd8c16b2c, dnnl_ABcde8a16b2a, dnnl_aCBd8b16c2b, dnnl_aBCd8c8b,
    dnnl_Abcde16a, dnnl_Abcde32a, dnnl_ABcde16a16b, dnnl_BAcde8a16b2a, dnnl_aBCd2b4c2b,
    dnnl_ABcde4b16a4b, dnnl_ABcde2b8a4b, dnnl_aBcde16b, dnnl_ABcde16b16a, dnnl_aBCde16b16c,
    dnnl_aBCde16c16b, dnnl_aBCde2c8b4c, dnnl_Abcde4a, dnnl_aBcde32b, dnnl_aBcde4b, dnnl_ABcde4b4a,
    dnnl_ABcde4a4b, dnnl_aBCde4b4c, dnnl_aBCde2c4b2c, dnnl_aBCde4b8c2b, dnnl_aBCde4c16b4c,
    dnnl_aBCde16c16b4c, dnnl_aBCde16c16b2c, dnnl_aBCde4c4b, dnnl_Abcde8a, dnnl_ABcde8a8b,
    dnnl_ABcde8a4b, dnnl_BAcde16b16a, dnnl_aBcde8b, dnnl_ABcde8b16a2b, dnnl_aBCde8b16c2b,
    dnnl_aBCde4c8b2c, dnnl_aCBde8b16c2b, dnnl_ABcde8b8a, dnnl_ABcde32a32b, dnnl_aBCde8b8c,
    dnnl_aBCde8b4c, dnnl_ABc4a8b8a4b, dnnl_ABcd4a8b8a4b, dnnl_ABcde4a8b8a4b, dnnl_BAc4b8a8b4a,
    dnnl_BAcd4b8a8b4a, dnnl_BAcde4b8a8b4a, dnnl_ABcd2a8b8a2b, dnnl_aBCd4b8c8b4c, dnnl_aBCde4b8c8b4c,
    dnnl_aBCde2b8c8b2c, dnnl_aBCde8c16b2c, dnnl_aBCde8c8b, dnnl_aBCde2b4c2b, dnnl_aBcdef16b,
    dnnl_aBCdef16b16c, dnnl_aBCdef16c16b, dnnl_aBCdef4c16b4c, dnnl_aBCdef2c8b4c, dnnl_aBCdef4c8b2c,
    dnnl_aBCdef2b4c2b, dnnl_aBcdef4b, dnnl_aBCdef4c4b, dnnl_aBCdef4b4c, dnnl_aBCdef2c4b2c,
    dnnl_aBCdef4b8c2b, dnnl_aBCdef8b8c, dnnl_aBCdef8b4c, dnnl_aBCdef8c16b2c, dnnl_aBCdef4b8c8b4c,
    dnnl_aBCdef8b16c2b, dnnl_aCBdef8b16c2b, dnnl_aBCdef8c8b, dnnl_aBdc16b, dnnl_aBdC16b2c,
    dnnl_aBdC16b4c, dnnl_aBdc4b, dnnl_aBdc8b, dnnl_aBdec16b, dnnl_aBdeC16b2c, dnnl_aBdeC16b4c,
    dnnl_aBdec32b, dnnl_aBdec4b, dnnl_aBdec8b, dnnl_aBdefc16b, dnnl_aBdefC16b2c, dnnl_aCBdef16c16b,
    dnnl_aBdefc4b, dnnl_aBdefc8b, dnnl_Abcdef16a, dnnl_Abcdef32a, dnnl_aBedc16b, dnnl_Acb16a,
    dnnl_AcB16a2b, dnnl_AcB16a4b, dnnl_Acb4a, dnnl_Acb8a, dnnl_aCBd16b16c, dnnl_aCBd16c16b,
    dnnl_aCBde16b16c, dnnl_aCBde16c16b, dnnl_Acdb16a, dnnl_AcdB16a2b, dnnl_AcdB16a4b, dnnl_Acdb32a,
    dnnl_Acdb4a, dnnl_Acdb8a, dnnl_Acdeb16a, dnnl_AcdeB16a2b, dnnl_Acdeb4a, dnnl_Acdeb8a,
    dnnl_Adcb16a, dnnl_BAc16a16b, dnnl_BAc16b16a, dnnl_BAcd16a16b, dnnl_BAcd16b16a,
    dnnl_aCBd4c8b8c4b, dnnl_aCBde4c8b8c4b, dnnl_aCBdef4c8b8c4b, dnnl_BAcde16a16b, dnnl_aCBdef16b16c,
    dnnl_ABc16b32a, dnnl_ABc16b64a, dnnl_ABc4b32a4b, dnnl_ABc4b64a4b, dnnl_ABc8b32a2b,
    dnnl_ABc8b64a2b, dnnl_AB16b16a, dnnl_AB16b32a, dnnl_AB16b64a, dnnl_AB8b16a2b, dnnl_AB8b32a2b,
    dnnl_AB8b64a2b, dnnl_AB4b16a4b, dnnl_AB4b32a4b, dnnl_AB4b64a4b, dnnl_AB16b16a4b,
    dnnl_ABcd16b32a, dnnl_ABcd16b64a, dnnl_ABcd4b32a4b, dnnl_ABcd4b64a4b, dnnl_ABcd8b32a2b,
    dnnl_ABcd8b64a2b, dnnl_ABcde4b32a4b, dnnl_ABcde4b64a4b, dnnl_ABcde16b16a4b, dnnl_ABcde16b16a2b,
    dnnl_ABcde16b32a, dnnl_ABcde16b64a, dnnl_ABcde8b32a2b, dnnl_ABcde8b64a2b, dnnl_aBCdef16c16b4c,
    dnnl_aBCdef16c16b2c, dnnl_AB32a32b8a4b, dnnl_AB8a4b, dnnl_AB32a32b8a2b, dnnl_AB8a2b,
    dnnl_abDc32d, dnnl_abDC32d4c, dnnl_abdEc32e, dnnl_abdEC32e2c, dnnl_abdEC32e4c, dnnl_aBdefC16b4c,
    dnnl_AcdeB16a4b, dnnl_ABcd16a16b2a, dnnl_ABc16a16b2a, dnnl_aBCd16b16c2b, dnnl_aBCde16b16c2b,
    dnnl_Acb32a, dnnl_AcB32a2b, dnnl_AcB32a4b, dnnl_Acb48a, dnnl_AcB48a2b, dnnl_AcB48a4b,
    dnnl_Acb64a, dnnl_AcB64a2b, dnnl_AcB64a4b, dnnl_cBa2b, dnnl_cBa4b, dnnl_aBdc32b, dnnl_aBdC32b2c,
    dnnl_aBdC32b4c, dnnl_aBdc48b, dnnl_aBdC48b2c, dnnl_aBdC48b4c, dnnl_aBdc64b, dnnl_aBdC64b2c,
    dnnl_aBdC64b4c, dnnl_adCb2c, dnnl_adCb4c, dnnl_AcdB32a2b, dnnl_AcdB32a4b, dnnl_Acdb48a,
    dnnl_AcdB48a2b, dnnl_AcdB48a4b, dnnl_Acdb64a, dnnl_AcdB64a2b, dnnl_AcdB64a4b, dnnl_cdBa2b,
    dnnl_cdBa4b, dnnl_aBdeC32b2c, dnnl_aBdeC32b4c, dnnl_aBdec48b, dnnl_aBdeC48b2c, dnnl_aBdeC48b4c,
    dnnl_aBdec64b, dnnl_aBdeC64b2c, dnnl_aBdeC64b4c, dnnl_adeCb2c, dnnl_adeCb4c, dnnl_Acdeb32a,
    dnnl_AcdeB32a2b, dnnl_AcdeB32a4b, dnnl_Acdeb48a, dnnl_AcdeB48a2b, dnnl_AcdeB48a4b,
    dnnl_Acdeb64a, dnnl_AcdeB64a2b, dnnl_AcdeB64a4b, dnnl_cdeBa2b, dnnl_cdeBa4b, dnnl_aBdefc32b,
    dnnl_aBdefC32b2c, dnnl_aBdefC32b4c, dnnl_aBdefc48b, dnnl_aBdefC48b2c, dnnl_aBdefC48b4c,
    dnnl_aBdefc64b, dnnl_aBdefC64b2c, dnnl_aBdefC64b4c, dnnl_adefCb2c, dnnl_adefCb4c,
    dnnl_AB16b32a4b, dnnl_AB16b48a4b, dnnl_AB16b64a4b, dnnl_AB16b16a2b, dnnl_AB16b32a2b,
    dnnl_AB16b48a2b, dnnl_AB16b64a2b, dnnl_ABc16b32a4b, dnnl_ABc16b48a4b, dnnl_ABc16b64a4b,
    dnnl_ABc16b32a2b, dnnl_ABc16b48a2b, dnnl_ABc16b64a2b, dnnl_ABcd16b32a4b, dnnl_ABcd16b48a4b,
    dnnl_ABcd16b64a4b, dnnl_ABcd16b32a2b, dnnl_ABcd16b48a2b, dnnl_ABcd16b64a2b, dnnl_ABcde16b32a4b,
    dnnl_ABcde16b48a4b, dnnl_ABcde16b64a4b, dnnl_ABcde16b32a2b, dnnl_ABcde16b48a2b,
    dnnl_ABcde16b64a2b, dnnl_ABc32a16b, dnnl_ABcd32a16b, dnnl_ABcde32a16b, dnnl_AB48a16b,
    dnnl_AB48a32b, dnnl_ABc40a16b, dnnl_ABc40a32b, dnnl_aBC48b16c, dnnl_aBC48b32c, dnnl_ABcd40a16b,
    dnnl_ABcd40a32b, dnnl_abCd32c, dnnl_abdCe32c, dnnl_abdCE32c2e, dnnl_BA16a16b2a, dnnl_BA16a32b2a,
    dnnl_BA16a48b2a, dnnl_BA16a64b2a, dnnl_BA16a16b4a, dnnl_BA16a32b4a, dnnl_BA16a48b4a,
    dnnl_BA16a64b4a, dnnl_ABcd8a2b, dnnl_aBdeC16c16b2c, dnnl_aBdeC16c16b4c, dnnl_aBdefC16c16b2c,
    dnnl_AcB16b16a2b, dnnl_AcB16b16a4b, dnnl_AcdB16b16a2b, dnnl_AcdB16b16a4b, dnnl_AcdeB16b16a2b,
    dnnl_aBdefC16c16b4c, dnnl_AcdeB16b16a4b, dnnl_AcB16b32a2b, dnnl_AcB16b32a4b, dnnl_AcB16b48a2b,
    dnnl_AcB16b48a4b, dnnl_AcB16b64a2b, dnnl_AcB16b64a4b, dnnl_aBdC16c16b2c, dnnl_aBdC16c16b4c,
    dnnl_aBdC16c32b2c, dnnl_aBdC16c32b4c, dnnl_aBdC16c48b2c, dnnl_aBdC16c48b4c, dnnl_aBdC16c64b2c,
    dnnl_aBdC16c64b4c, dnnl_AcdB16b32a2b, dnnl_AcdB16b32a4b, dnnl_AcdB16b48a2b, dnnl_AcdB16b48a4b,
    dnnl_AcdB16b64a2b, dnnl_AcdB16b64a4b, dnnl_aBdeC16c32b2c, dnnl_aBdeC16c32b4c,
    dnnl_aBdeC16c48b2c, dnnl_aBdeC16c48b4c, dnnl_aBdeC16c64b2c, dnnl_aBdeC16c64b4c,
    dnnl_AcdeB16b32a2b, dnnl_AcdeB16b32a4b, dnnl_AcdeB16b48a2b, dnnl_AcdeB16b48a4b,
    dnnl_AcdeB16b64a2b, dnnl_AcdeB16b64a4b, dnnl_aBdefC16c32b2c, dnnl_aBdefC16c32b4c,
    dnnl_aBdefC16c48b2c, dnnl_aBdefC16c48b4c, dnnl_aBdefC16c64b2c, dnnl_aBdefC16c64b4c,
    dnnl_decbA16a, dnnl_ABc4a2b, dnnl_ABc8a2b, dnnl_aBCd8b2c, dnnl_ABcde4a2b, dnnl_ABcde8a2b,
    dnnl_ABcde40a16b, dnnl_ABcde40a32b, dnnl_aBCde8b2c, dnnl_ABcde4a8b8a2b, dnnl_ABcd4a8b8a2b,
    dnnl_ABc4a8b8a2b, dnnl_aBCdef4b8c8b2c, dnnl_aBCde4b8c8b2c, dnnl_aBCd4b8c8b2c,
    dnnl_BAcde4b8a8b2a, dnnl_BAcd4b8a8b2a, dnnl_BAc4b8a8b2a, dnnl_aCBdef4c8b8c2b,
    dnnl_aCBde4c8b8c2b, dnnl_aCBd4c8b8c2b, dnnl_aBCdef8b2c, dnnl_AB32a16b, dnnl_AB32a32b,
    dnnl_BA4b8a8b2a, dnnl_BA4b8a8b4a, dnnl_aBC32b16c, dnnl_aBC32b32c, dnnl_aCB4c8b8c2b,
    dnnl_aCB4c8b8c4b, dnnl_ABcd4a2b, dnnl_ABc2b8a16b4a, dnnl_ABcd2b8a16b4a, dnnl_ABcde2b8a16b4a,
    dnnl_ABc2a8b16a4b, dnnl_ABc2a8b16a2b, dnnl_ABc2b32a8b, dnnl_ABcd2a8b16a4b, dnnl_ABcd2a8b16a2b,
    dnnl_aCBd2c8b16c2b, dnnl_ABcd2b32a8b, dnnl_aBCd2c8b16c2b, dnnl_ABcde2a8b16a4b,
    dnnl_ABcde2a8b16a2b, dnnl_aCBde2c8b16c2b, dnnl_ABcde2b32a8b, dnnl_aBC2b8c16b2c,
    dnnl_aBCd2b8c16b2c, dnnl_aBCde2b8c16b2c, dnnl_aBCdef2b8c16b2c, dnnl_BAcde2b8a16b4a,
    dnnl_BAcd2b8a16b4a, dnnl_BAc2b8a16b4a, dnnl_BAcde2b8a16b2a, dnnl_BAcd2b8a16b2a,
    dnnl_BAc2b8a16b2a, dnnl_aBCde2c8b16c2b, dnnl_aBCdef2c8b16c2b, dnnl_aCBdef2c8b16c2b,
    dnnl_aBCd2b8c16b4c, dnnl_aBCde2b8c16b4c, dnnl_BA4b8a16b2a, dnnl_BA4b8a16b4a, dnnl_aCB4c8b16c2b,
    dnnl_aCB4c8b16c4b, dnnl_BA16a16b, dnnl_BA16a32b, dnnl_BA16a48b, dnnl_BA16a64b, dnnl_aCB16c2b,
    dnnl_aCB16c4b, dnnl_BA16b2a, dnnl_BA16b4a, dnnl_aBC16b16c, dnnl_aBC16b32c, dnnl_AB16a16b,
    dnnl_AB16a32b, dnnl_ABcde16a16b2a, dnnl_aBCdef16b16c2b, dnnl_Acedb16a, dnnl_aBdfec16b,
    dnnl_abdEC64e2c, dnnl_abdEC64e4c, dnnl_aCB16b16c, dnnl_aCB16b32c, dnnl_aCB16b48c,
    dnnl_aCB16b64c, dnnl_aCB16b16c2b, dnnl_aCB16b32c2b, dnnl_aCB16b48c2b, dnnl_aCB16b64c2b,
    dnnl_aCB16b16c4b, dnnl_aCB16b32c4b, dnnl_aCB16b48c4b, dnnl_aCB16b64c4b, dnnl_abCd4c,
    dnnl_abCde4c, dnnl_abCdef4c, dnnl_abCde32c, dnnl_abCdef32c, dnnl_ABcd16a32b, dnnl_decbA8a,
    dnnl_aCdefB16b32c2b, dnnl_aCdefB16b32c4b, dnnl_aCdefB16b48c2b, dnnl_aCdefB16b48c4b,
    dnnl_aCdefB16b64c2b, dnnl_aCdefB16b64c4b, dnnl_BcdeA16a32b2a, dnnl_BcdeA16a32b4a,
    dnnl_BcdeA16a48b2a, dnnl_BcdeA16a48b4a, dnnl_BcdeA16a64b2a, dnnl_BcdeA16a64b4a, dnnl_aCdefb32c,
    dnnl_aCdefB32c2b, dnnl_aCdefB32c4b, dnnl_aCdefb48c, dnnl_aCdefB48c2b, dnnl_aCdefB48c4b,
    dnnl_aCdefb64c, dnnl_aCdefB64c2b, dnnl_aCdefB64c4b, dnnl_Bcdea32b, dnnl_BcdeA32b2a,
    dnnl_BcdeA32b4a, dnnl_Bcdea48b, dnnl_BcdeA48b2a, dnnl_BcdeA48b4a, dnnl_Bcdea64b,
    dnnl_BcdeA64b2a, dnnl_BcdeA64b4a, dnnl_Bca32b, dnnl_BcA32b2a, dnnl_BcA32b4a, dnnl_Bca48b,
    dnnl_BcA48b2a, dnnl_BcA48b4a, dnnl_Bca64b, dnnl_BcA64b2a, dnnl_BcA64b4a, dnnl_aCdb32c,
    dnnl_aCdB32c2b, dnnl_aCdB32c4b, dnnl_aCdb48c, dnnl_aCdB48c2b, dnnl_aCdB48c4b, dnnl_aCdb64c,
    dnnl_aCdB64c2b, dnnl_aCdB64c4b, dnnl_BcA16a16b2a, dnnl_BcA16a16b4a, dnnl_BcdA16a16b2a,
    dnnl_BcdA16a16b4a, dnnl_BcdeA16a16b2a, dnnl_BcdeA16a16b4a, dnnl_aCdB16b16c2b, dnnl_aCdB16b16c4b,
    dnnl_aCdeB16b16c2b, dnnl_aCdeB16b16c4b, dnnl_aCdefB16b16c2b, dnnl_aCdefB16b16c4b,
    dnnl_BcA16a32b2a, dnnl_BcA16a32b4a, dnnl_BcA16a48b2a, dnnl_BcA16a48b4a, dnnl_BcA16a64b2a,
    dnnl_BcA16a64b4a, dnnl_aCdB16b32c2b, dnnl_aCdB16b32c4b, dnnl_aCdB16b48c2b, dnnl_aCdB16b48c4b,
    dnnl_aCdB16b64c2b, dnnl_aCdB16b64c4b, dnnl_BcdA16a32b2a, dnnl_BcdA16a32b4a, dnnl_BcdA16a48b2a,
    dnnl_BcdA16a48b4a, dnnl_BcdA16a64b2a, dnnl_BcdA16a64b4a, dnnl_aCdeB16b32c2b, dnnl_aCdeB16b32c4b,
    dnnl_aCdeB16b48c2b, dnnl_aCdeB16b48c4b, dnnl_aCdeB16b64c2b, dnnl_aCdeB16b64c4b, dnnl_Bca16b,
    dnnl_BcA16b2a, dnnl_BcA16b4a, dnnl_Bcda16b, dnnl_BcdA16b2a, dnnl_BcdA16b4a, dnnl_Bcdea16b,
    dnnl_BcdeA16b2a, dnnl_BcdeA16b4a, dnnl_aCdb16c, dnnl_aCdB16c2b, dnnl_aCdB16c4b, dnnl_aCdeb16c,
    dnnl_aCdeB16c2b, dnnl_aCdeB16c4b, dnnl_aCdefb16c, dnnl_aCdefB16c2b, dnnl_aCdefB16c4b,
    dnnl_Bcda32b, dnnl_BcdA32b2a, dnnl_BcdA32b4a, dnnl_Bcda48b, dnnl_BcdA48b2a, dnnl_BcdA48b4a,
    dnnl_Bcda64b, dnnl_BcdA64b2a, dnnl_BcdA64b4a, dnnl_aCdeb32c, dnnl_aCdeB32c2b, dnnl_aCdeB32c4b,
    dnnl_aCdeb48c, dnnl_aCdeB48c2b, dnnl_aCdeB48c4b, dnnl_aCdeb64c, dnnl_aCdeB64c2b,
    dnnl_aCdeB64c4b, dnnl_Acb24a, dnnl_Acdb24a, dnnl_Acdeb24a, dnnl_aBdc24b, dnnl_aBdec24b,
    dnnl_aBdefc24b, dnnl_abDc16d, dnnl_abdEc16e, dnnl_abdCe16c, dnnl_AcB24a2b, dnnl_AcdB24a2b,
    dnnl_AcdeB24a2b, dnnl_aBdC24b2c, dnnl_aBdeC24b2c, dnnl_aBdefC24b2c, dnnl_AcB8a2b, dnnl_AcdB8a2b,
    dnnl_AcdeB8a2b, dnnl_aBdC8b2c, dnnl_aBdeC8b2c, dnnl_aBdefC8b2c, dnnl_AB8b32a, dnnl_ABc8b32a,
    dnnl_ABcd8b32a, dnnl_ABcde8b32a, dnnl_AB8b24a, dnnl_ABc8b24a, dnnl_ABcd8b24a, dnnl_ABcde8b24a,
    dnnl_AB8b16a, dnnl_ABc8b16a, dnnl_ABcd8b16a, dnnl_ABcde8b16a, dnnl_AB8b8a, dnnl_AB4b8a4b,
    dnnl_AB4b24a4b, dnnl_ABc4b8a4b, dnnl_ABc4b24a4b, dnnl_ABcd4b8a4b, dnnl_ABcd4b24a4b,
    dnnl_ABcde4b8a4b, dnnl_ABcde4b24a4b, dnnl_AB8b24a2b, dnnl_ABc8b24a2b, dnnl_ABcd8b24a2b,
    dnnl_ABcde8b24a2b, dnnl_AB8b8a2b, dnnl_ABc8b8a2b, dnnl_ABcd8b8a2b, dnnl_ABcde8b8a2b,
    dnnl_AcB24a4b, dnnl_AcdB24a4b, dnnl_AcdeB24a4b, dnnl_aBdC24b4c, dnnl_aBdeC24b4c,
    dnnl_aBdefC24b4c, dnnl_AcB8a4b, dnnl_AcdB8a4b, dnnl_AcdeB8a4b, dnnl_aBdC8b4c, dnnl_aBdeC8b4c,
    dnnl_aBdefC8b4c, dnnl_Bca8b, dnnl_BcA8b2a, dnnl_Bcda8b, dnnl_BcdA8b2a, dnnl_Bcdea8b,
    dnnl_BcdeA8b2a, dnnl_aCdb8c, dnnl_aCdB8c2b, dnnl_aCdeb8c, dnnl_aCdeB8c2b, dnnl_aCdefb8c,
    dnnl_aCdefB8c2b, dnnl_Bca24b, dnnl_BcA24b2a, dnnl_Bcda24b, dnnl_BcdA24b2a, dnnl_Bcdea24b,
    dnnl_BcdeA24b2a, dnnl_aCdb24c, dnnl_aCdB24c2b, dnnl_aCdeb24c, dnnl_aCdeB24c2b, dnnl_aCdefb24c,
    dnnl_aCdefB24c2b, dnnl_BcA8b4a, dnnl_BcdA8b4a, dnnl_BcdeA8b4a, dnnl_aCdB8c4b, dnnl_aCdeB8c4b,
    dnnl_aCdefB8c4b, dnnl_BcA24b4a, dnnl_BcdA24b4a, dnnl_BcdeA24b4a, dnnl_aCdB24c4b,
    dnnl_aCdeB24c4b, dnnl_aCdefB24c4b, dnnl_AB16b48a, dnnl_ABc16b48a, dnnl_ABcd16b48a,
    dnnl_ABcde16b48a, dnnl_ABc16a4b, dnnl_ABcd16a4b, dnnl_ABcde16a4b, dnnl_defcbA16a, dnnl_defcbA8a,
    dnnl_AcB16b64a, dnnl_AcdB16b64a, dnnl_AcdeB16b64a, dnnl_AcB16b48a, dnnl_AcdB16b48a,
    dnnl_AcdeB16b48a, dnnl_AcB16b32a, dnnl_AcdB16b32a, dnnl_AcdeB16b32a, dnnl_AcB16b16a,
    dnnl_AcdB16b16a, dnnl_AcdeB16b16a, dnnl_AcB8b32a, dnnl_AcdB8b32a, dnnl_AcdeB8b32a,
    dnnl_AcB8b24a, dnnl_AcdB8b24a, dnnl_AcdeB8b24a, dnnl_AcB8b16a, dnnl_AcdB8b16a, dnnl_AcdeB8b16a,
    dnnl_AcB8b8a, dnnl_AcdB8b8a, dnnl_AcdeB8b8a, dnnl_AcB8b64a2b, dnnl_AcdB8b64a2b,
    dnnl_AcdeB8b64a2b, dnnl_AcB8b32a2b, dnnl_AcdB8b32a2b, dnnl_AcdeB8b32a2b, dnnl_AcB8b24a2b,
    dnnl_AcdB8b24a2b, dnnl_AcdeB8b24a2b, dnnl_AcB8b16a2b, dnnl_AcdB8b16a2b, dnnl_AcdeB8b16a2b,
    dnnl_AcB8b8a2b, dnnl_AcdB8b8a2b, dnnl_AcdeB8b8a2b, dnnl_AcB4b64a4b, dnnl_AcdB4b64a4b,
    dnnl_AcdeB4b64a4b, dnnl_AcB4b32a4b, dnnl_AcdB4b32a4b, dnnl_AcdeB4b32a4b, dnnl_AcB4b24a4b,
    dnnl_AcdB4b24a4b, dnnl_AcdeB4b24a4b, dnnl_AcB4b16a4b, dnnl_AcdB4b16a4b, dnnl_AcdeB4b16a4b,
    dnnl_AcB4b8a4b, dnnl_AcdB4b8a4b, dnnl_AcdeB4b8a4b, dnnl_Ab4a, dnnl_Ab8a, dnnl_BA4b4a,
    dnnl_BA8b4a, dnnl_BA2a24b, dnnl_aCB2b24c, dnnl_BA2a8b, dnnl_aCB2b8c, dnnl_BA8a24b,
    dnnl_aCB8b24c, dnnl_BA8a16b, dnnl_aCB8b16c, dnnl_BA8a8b, dnnl_aCB8b8c, dnnl_bcad, dnnl_cabd,
    dnnl_dabc, dnnl_Ab32a, dnnl_aCBd8b8c, dnnl_aCBde8b8c, dnnl_BAc8a8b, dnnl_BAcd8a8b,
    dnnl_BAcde8a8b, dnnl_aCBdef8b8c, dnnl_abdEC16e4c, dnnl_abDC16d4c, dnnl_BA24b8a, dnnl_aCB24c8b,
    dnnl_abDC24d8c, dnnl_decbA4a, dnnl_defcbA4a, dnnl_abDC8d8c, dnnl_abDC16d8c, dnnl_aCB8c8b,
    dnnl_aCB16c8b, dnnl_BA8b8a, dnnl_BA16b8a, dnnl_AB2a4b, dnnl_aCBd4b4c, dnnl_aCBde4b4c,
    dnnl_aCBdef4b4c, dnnl_BAc4a4b, dnnl_BAcd4a4b, dnnl_BAcde4a4b, dnnl_BA12b8a, dnnl_aCB12c8b,
    dnnl_abDC12d8c, dnnl_BA4b8a, dnnl_aCB4c8b, dnnl_abDC4d8c, dnnl_Abc8a, dnnl_Abc32a,
    dnnl_aBcdef8b, dnnl_aBcdef32b,

    dnnl_format_tag_last = 875, ///< One past the last tag that is not an alias.

    // Aliases: matrices and activations. n batch, c channels, d h w space, x anything.
    dnnl_x = dnnl_a, dnnl_nc = dnnl_ab, dnnl_cn = dnnl_ba, dnnl_ncw = dnnl_abc, dnnl_nwc = dnnl_acb,
    dnnl_nchw = dnnl_abcd, dnnl_nhwc = dnnl_acdb, dnnl_chwn = dnnl_bcda, dnnl_ncdhw = dnnl_abcde,
    dnnl_ndhwc = dnnl_acdeb, dnnl_nCdhw32c = dnnl_aBcde32b, dnnl_nCdhw16c = dnnl_aBcde16b,
    dnnl_nCdhw4c = dnnl_aBcde4b, dnnl_nCdhw8c = dnnl_aBcde8b, dnnl_nChw32c = dnnl_aBcd32b,
    dnnl_nChw16c = dnnl_aBcd16b, dnnl_nChw4c = dnnl_aBcd4b, dnnl_nChw8c = dnnl_aBcd8b,
    dnnl_nCw32c = dnnl_aBc32b, dnnl_nCw16c = dnnl_aBc16b, dnnl_nCw4c = dnnl_aBc4b,
    dnnl_nCw8c = dnnl_aBc8b, dnnl_NCw16n16c = dnnl_ABc16a16b, dnnl_NCdhw16n16c = dnnl_ABcde16a16b,
    dnnl_NChw16n16c = dnnl_ABcd16a16b, dnnl_NCw32n16c = dnnl_ABc32a16b,
    dnnl_NChw32n16c = dnnl_ABcd32a16b, dnnl_NChw16n32c = dnnl_ABcd16a32b,
    dnnl_NCdhw32n16c = dnnl_ABcde32a16b, dnnl_NCw32n32c = dnnl_ABc32a32b,
    dnnl_NChw32n32c = dnnl_ABcd32a32b, dnnl_NCdhw32n32c = dnnl_ABcde32a32b,
    dnnl_NCdhw40n16c = dnnl_ABcde40a16b, dnnl_NCw40n16c = dnnl_ABc40a16b,
    dnnl_NChw40n16c = dnnl_ABcd40a16b, dnnl_NCw40n32c = dnnl_ABc40a32b,
    dnnl_NChw40n32c = dnnl_ABcd40a32b, dnnl_NCdhw40n32c = dnnl_ABcde40a32b,
    dnnl_NCw2c32n8c = dnnl_ABc2b32a8b, dnnl_NChw2c32n8c = dnnl_ABcd2b32a8b,
    dnnl_NCdhw2c32n8c = dnnl_ABcde2b32a8b,

    // Aliases: recurrent layers. t time, n batch, l layers, d directions, g gates, i in, o out.
    dnnl_tn = dnnl_ab, dnnl_nt = dnnl_ba, dnnl_tnc = dnnl_abc, dnnl_ntc = dnnl_bac,
    dnnl_ldnc = dnnl_abcd, dnnl_ldigo = dnnl_abcde, dnnl_ldgoi = dnnl_abdec, dnnl_ldio = dnnl_abcd,
    dnnl_ldoi = dnnl_abdc, dnnl_ldgo = dnnl_abcd, dnnl_ldOi16o = dnnl_abDc16d,
    dnnl_ldOi32o = dnnl_abDc32d, dnnl_ldOI16o4i = dnnl_abDC16d4c, dnnl_ldOI32o4i = dnnl_abDC32d4c,
    dnnl_ldIo32i = dnnl_abCd32c, dnnl_ldgOi16o = dnnl_abdEc16e, dnnl_ldgOI16o4i = dnnl_abdEC16e4c,
    dnnl_ldgOi32o = dnnl_abdEc32e, dnnl_ldgOI32o2i = dnnl_abdEC32e2c,
    dnnl_ldgOI32o4i = dnnl_abdEC32e4c, dnnl_ldgOI64o2i = dnnl_abdEC64e2c,
    dnnl_ldgOI64o4i = dnnl_abdEC64e4c, dnnl_ldgIo16i = dnnl_abdCe16c, dnnl_ldgIo32i = dnnl_abdCe32c,
    dnnl_ldgIO32i2o = dnnl_abdCE32c2e,

    // Aliases: weights in groups. g groups, o output and i input channels, d h w space.
    dnnl_goiw = dnnl_abcd, dnnl_gowi = dnnl_abdc, dnnl_wigo = dnnl_dcab, dnnl_goihw = dnnl_abcde,
    dnnl_gohwi = dnnl_abdec, dnnl_hwigo = dnnl_decab, dnnl_giohw = dnnl_acbde,
    dnnl_goidhw = dnnl_abcdef, dnnl_godhwi = dnnl_abdefc, dnnl_giodhw = dnnl_acbdef,
    dnnl_dhwigo = dnnl_defcab, dnnl_Goiw16g = dnnl_Abcd16a, dnnl_Goiw8g = dnnl_Abcd8a,
    dnnl_Goiw4g = dnnl_Abcd4a, dnnl_gIOw4o4i = dnnl_aCBd4b4c, dnnl_gIOw8o8i = dnnl_aCBd8b8c,
    dnnl_gIOw16o16i = dnnl_aCBd16b16c, dnnl_gIOw16i16o = dnnl_aCBd16c16b,
    dnnl_gOIw16i16o = dnnl_aBCd16c16b, dnnl_gOIw16o16i = dnnl_aBCd16b16c,
    dnnl_gOiw16o = dnnl_aBcd16b, dnnl_gOiw32o = dnnl_aBcd32b, dnnl_gOIw4i16o4i = dnnl_aBCd4c16b4c,
    dnnl_gOIw2i8o4i = dnnl_aBCd2c8b4c, dnnl_gOIw16i16o4i = dnnl_aBCd16c16b4c,
    dnnl_gOIw16i16o2i = dnnl_aBCd16c16b2c, dnnl_gOIw16o16i2o = dnnl_aBCd16b16c2b,
    dnnl_gOIw4i4o = dnnl_aBCd4c4b, dnnl_gOIw4o4i = dnnl_aBCd4b4c, dnnl_gOiw4o = dnnl_aBcd4b,
    dnnl_gOiw8o = dnnl_aBcd8b, dnnl_gOIw8i16o2i = dnnl_aBCd8c16b2c, dnnl_gOIw8i8o = dnnl_aBCd8c8b,
    dnnl_gOIw8o16i2o = dnnl_aBCd8b16c2b, dnnl_gIOw8o16i2o = dnnl_aCBd8b16c2b,
    dnnl_gOIw8o8i = dnnl_aBCd8b8c, dnnl_gOIw8o4i = dnnl_aBCd8b4c, dnnl_gOwi16o = dnnl_aBdc16b,
    dnnl_gOwI16o2i = dnnl_aBdC16b2c, dnnl_gOwI16o4i = dnnl_aBdC16b4c, dnnl_gIwo8i = dnnl_aCdb8c,
    dnnl_gIwO8i2o = dnnl_aCdB8c2b, dnnl_gIwO8i4o = dnnl_aCdB8c4b, dnnl_gIwo16i = dnnl_aCdb16c,
    dnnl_gIwO16i2o = dnnl_aCdB16c2b, dnnl_gIwO16i4o = dnnl_aCdB16c4b, dnnl_gIwo24i = dnnl_aCdb24c,
    dnnl_gIwO24i2o = dnnl_aCdB24c2b, dnnl_gIwO24i4o = dnnl_aCdB24c4b, dnnl_gOwi4o = dnnl_aBdc4b,
    dnnl_gOwi8o = dnnl_aBdc8b, dnnl_gOwI8o2i = dnnl_aBdC8b2c, dnnl_gOwI8o4i = dnnl_aBdC8b4c,
    dnnl_Goiw32g = dnnl_Abcd32a, dnnl_gOIw2i4o2i = dnnl_aBCd2c4b2c,
    dnnl_gOIw2o4i2o = dnnl_aBCd2b4c2b, dnnl_gOIw4i8o2i = dnnl_aBCd4c8b2c,
    dnnl_gOIw4o8i2o = dnnl_aBCd4b8c2b, dnnl_goIw4i = dnnl_abCd4c, dnnl_goIw32i = dnnl_abCd32c,
    dnnl_gIOhw16i16o = dnnl_aCBde16c16b, dnnl_gIOhw4o4i = dnnl_aCBde4b4c,
    dnnl_gIOhw8o8i = dnnl_aCBde8b8c, dnnl_gIOhw16o16i = dnnl_aCBde16b16c,
    dnnl_gOhwi16o = dnnl_aBdec16b, dnnl_gOhwI16o2i = dnnl_aBdeC16b2c,
    dnnl_gOhwI16o4i = dnnl_aBdeC16b4c, dnnl_gIhwo8i = dnnl_aCdeb8c, dnnl_gIhwO8i2o = dnnl_aCdeB8c2b,
    dnnl_gIhwO8i4o = dnnl_aCdeB8c4b, dnnl_gIhwo16i = dnnl_aCdeb16c,
    dnnl_gIhwO16i2o = dnnl_aCdeB16c2b, dnnl_gIhwO16i4o = dnnl_aCdeB16c4b,
    dnnl_gIhwo24i = dnnl_aCdeb24c, dnnl_gIhwO24i2o = dnnl_aCdeB24c2b,
    dnnl_gIhwO24i4o = dnnl_aCdeB24c4b, dnnl_gOhwi32o = dnnl_aBdec32b, dnnl_gOhwi24o = dnnl_aBdec24b,
    dnnl_gOhwI24o2i = dnnl_aBdeC24b2c, dnnl_gOhwI24o4i = dnnl_aBdeC24b4c,
    dnnl_gOhwi4o = dnnl_aBdec4b, dnnl_gOhwi8o = dnnl_aBdec8b, dnnl_gOhwI8o2i = dnnl_aBdeC8b2c,
    dnnl_gOhwI8o4i = dnnl_aBdeC8b4c, dnnl_Goihw16g = dnnl_Abcde16a,
    dnnl_gOIhw16i16o = dnnl_aBCde16c16b, dnnl_gOIhw16o16i = dnnl_aBCde16b16c,
    dnnl_gOihw16o = dnnl_aBcde16b, dnnl_gOihw32o = dnnl_aBcde32b,
    dnnl_gOIhw2i8o4i = dnnl_aBCde2c8b4c, dnnl_gOIhw4i16o4i = dnnl_aBCde4c16b4c,
    dnnl_gOIhw16i16o4i = dnnl_aBCde16c16b4c, dnnl_gOIhw16i16o2i = dnnl_aBCde16c16b2c,
    dnnl_gOIhw16o16i2o = dnnl_aBCde16b16c2b, dnnl_gOIhw4i4o = dnnl_aBCde4c4b,
    dnnl_gOIhw4o4i = dnnl_aBCde4b4c, dnnl_gOihw4o = dnnl_aBcde4b, dnnl_gOihw8o = dnnl_aBcde8b,
    dnnl_Goihw8g = dnnl_Abcde8a, dnnl_Goihw4g = dnnl_Abcde4a, dnnl_gOIhw8i16o2i = dnnl_aBCde8c16b2c,
    dnnl_gOIhw8i8o = dnnl_aBCde8c8b, dnnl_gOIhw8o16i2o = dnnl_aBCde8b16c2b,
    dnnl_gIOhw8o16i2o = dnnl_aCBde8b16c2b, dnnl_gOIhw8o8i = dnnl_aBCde8b8c,
    dnnl_gOIhw8o4i = dnnl_aBCde8b4c, dnnl_Goihw32g = dnnl_Abcde32a, dnnl_gOwhi16o = dnnl_aBedc16b,
    dnnl_goIhw4i = dnnl_abCde4c, dnnl_goIhw32i = dnnl_abCde32c,
    dnnl_gOIw4o8i8o4i = dnnl_aBCd4b8c8b4c, dnnl_gOIhw4o8i8o4i = dnnl_aBCde4b8c8b4c,
    dnnl_gOIdhw4o8i8o4i = dnnl_aBCdef4b8c8b4c, dnnl_gIOw4i8o8i4o = dnnl_aCBd4c8b8c4b,
    dnnl_gIOhw4i8o8i4o = dnnl_aCBde4c8b8c4b, dnnl_gIOdhw4i8o8i4o = dnnl_aCBdef4c8b8c4b,
    dnnl_gOIhw2o8i8o2i = dnnl_aBCde2b8c8b2c, dnnl_gOIhw2i4o2i = dnnl_aBCde2c4b2c,
    dnnl_gOIhw2o4i2o = dnnl_aBCde2b4c2b, dnnl_gOIhw4i8o2i = dnnl_aBCde4c8b2c,
    dnnl_gOIhw4o8i2o = dnnl_aBCde4b8c2b, dnnl_gIOdhw16i16o = dnnl_aCBdef16c16b,
    dnnl_gIOdhw4o4i = dnnl_aCBdef4b4c, dnnl_gIOdhw8o8i = dnnl_aCBdef8b8c,
    dnnl_gIOdhw16o16i = dnnl_aCBdef16b16c, dnnl_gOdhwi16o = dnnl_aBdefc16b,
    dnnl_gOdhwI16o2i = dnnl_aBdefC16b2c, dnnl_gOdhwI16o4i = dnnl_aBdefC16b4c,
    dnnl_gIdhwo8i = dnnl_aCdefb8c, dnnl_gIdhwO8i2o = dnnl_aCdefB8c2b,
    dnnl_gIdhwO8i4o = dnnl_aCdefB8c4b, dnnl_gIdhwo16i = dnnl_aCdefb16c,
    dnnl_gIdhwO16i2o = dnnl_aCdefB16c2b, dnnl_gIdhwO16i4o = dnnl_aCdefB16c4b,
    dnnl_gIdhwo24i = dnnl_aCdefb24c, dnnl_gIdhwO24i2o = dnnl_aCdefB24c2b,
    dnnl_gIdhwO24i4o = dnnl_aCdefB24c4b, dnnl_gOdhwi4o = dnnl_aBdefc4b,
    dnnl_gOdhwi8o = dnnl_aBdefc8b, dnnl_gOdhwI8o2i = dnnl_aBdefC8b2c,
    dnnl_gOdhwI8o4i = dnnl_aBdefC8b4c, dnnl_gOdwhi16o = dnnl_aBdfec16b,
    dnnl_gOIdhw16i16o = dnnl_aBCdef16c16b, dnnl_gOIdhw4i16o4i = dnnl_aBCdef4c16b4c,
    dnnl_gOIdhw16i16o4i = dnnl_aBCdef16c16b4c, dnnl_gOIdhw2i8o4i = dnnl_aBCdef2c8b4c,
    dnnl_gOIdhw16i16o2i = dnnl_aBCdef16c16b2c, dnnl_gOIdhw16o16i = dnnl_aBCdef16b16c,
    dnnl_gOIdhw16o16i2o = dnnl_aBCdef16b16c2b, dnnl_gOidhw16o = dnnl_aBcdef16b,
    dnnl_gOidhw32o = dnnl_aBcdef32b, dnnl_gOIdhw4i4o = dnnl_aBCdef4c4b,
    dnnl_gOIdhw4o4i = dnnl_aBCdef4b4c, dnnl_gOidhw4o = dnnl_aBcdef4b, dnnl_gOidhw8o = dnnl_aBcdef8b,
    dnnl_gOIdhw8i16o2i = dnnl_aBCdef8c16b2c, dnnl_gOIdhw8i8o = dnnl_aBCdef8c8b,
    dnnl_gOIdhw8o16i2o = dnnl_aBCdef8b16c2b, dnnl_gIOdhw8o16i2o = dnnl_aCBdef8b16c2b,
    dnnl_gOIdhw8o8i = dnnl_aBCdef8b8c, dnnl_gOIdhw8o4i = dnnl_aBCdef8b4c,
    dnnl_Goidhw16g = dnnl_Abcdef16a, dnnl_Goidhw32g = dnnl_Abcdef32a,
    dnnl_gOIdhw2i4o2i = dnnl_aBCdef2c4b2c, dnnl_gOIdhw4i8o2i = dnnl_aBCdef4c8b2c,
    dnnl_gOIdhw2o4i2o = dnnl_aBCdef2b4c2b, dnnl_gOIdhw4o8i2o = dnnl_aBCdef4b8c2b,
    dnnl_goIdhw4i = dnnl_abCdef4c, dnnl_goIdhw32i = dnnl_abCdef32c, dnnl_gOwi24o = dnnl_aBdc24b,
    dnnl_gOwI24o2i = dnnl_aBdC24b2c, dnnl_gOwI24o4i = dnnl_aBdC24b4c, dnnl_gOwi32o = dnnl_aBdc32b,
    dnnl_gOwI32o2i = dnnl_aBdC32b2c, dnnl_gOwI32o4i = dnnl_aBdC32b4c, dnnl_gOwi48o = dnnl_aBdc48b,
    dnnl_gOwI48o2i = dnnl_aBdC48b2c, dnnl_gOwI48o4i = dnnl_aBdC48b4c, dnnl_gOwi64o = dnnl_aBdc64b,
    dnnl_gOwI64o2i = dnnl_aBdC64b2c, dnnl_gOwI64o4i = dnnl_aBdC64b4c, dnnl_gIwo32i = dnnl_aCdb32c,
    dnnl_gIwO32i2o = dnnl_aCdB32c2b, dnnl_gIwO32i4o = dnnl_aCdB32c4b, dnnl_gIwo48i = dnnl_aCdb48c,
    dnnl_gIwO48i2o = dnnl_aCdB48c2b, dnnl_gIwO48i4o = dnnl_aCdB48c4b, dnnl_gIwo64i = dnnl_aCdb64c,
    dnnl_gIwO64i2o = dnnl_aCdB64c2b, dnnl_gIwO64i4o = dnnl_aCdB64c4b, dnnl_gwio = dnnl_adcb,
    dnnl_gwIo2i = dnnl_adCb2c, dnnl_gwIo4i = dnnl_adCb4c, dnnl_gOhwI24o = dnnl_aBdec24b,
    dnnl_gOhwI32o = dnnl_aBdec32b, dnnl_gOhwI32o2i = dnnl_aBdeC32b2c,
    dnnl_gOhwI32o4i = dnnl_aBdeC32b4c, dnnl_gOhwi48o = dnnl_aBdec48b,
    dnnl_gOhwI48o2i = dnnl_aBdeC48b2c, dnnl_gOhwI48o4i = dnnl_aBdeC48b4c,
    dnnl_gOhwi64o = dnnl_aBdec64b, dnnl_gOhwI64o2i = dnnl_aBdeC64b2c,
    dnnl_gOhwI64o4i = dnnl_aBdeC64b4c, dnnl_gIhwo32i = dnnl_aCdeb32c,
    dnnl_gIhwO32i2o = dnnl_aCdeB32c2b, dnnl_gIhwO32i4o = dnnl_aCdeB32c4b,
    dnnl_gIhwo48i = dnnl_aCdeb48c, dnnl_gIhwO48i2o = dnnl_aCdeB48c2b,
    dnnl_gIhwO48i4o = dnnl_aCdeB48c4b, dnnl_gIhwo64i = dnnl_aCdeb64c,
    dnnl_gIhwO64i2o = dnnl_aCdeB64c2b, dnnl_gIhwO64i4o = dnnl_aCdeB64c4b, dnnl_ghwio = dnnl_adecb,
    dnnl_ghwIo2i = dnnl_adeCb2c, dnnl_ghwIo4i = dnnl_adeCb4c, dnnl_gOdhwi24o = dnnl_aBdefc24b,
    dnnl_gOdhwI24o2i = dnnl_aBdefC24b2c, dnnl_gOdhwI24o4i = dnnl_aBdefC24b4c,
    dnnl_gOdhwi32o = dnnl_aBdefc32b, dnnl_gOdhwI32o2i = dnnl_aBdefC32b2c,
    dnnl_gOdhwI32o4i = dnnl_aBdefC32b4c, dnnl_gOdhwi48o = dnnl_aBdefc48b,
    dnnl_gOdhwI48o2i = dnnl_aBdefC48b2c, dnnl_gOdhwI48o4i = dnnl_aBdefC48b4c,
    dnnl_gOdhwi64o = dnnl_aBdefc64b, dnnl_gOdhwI64o2i = dnnl_aBdefC64b2c,
    dnnl_gOdhwI64o4i = dnnl_aBdefC64b4c, dnnl_gIdhwo32i = dnnl_aCdefb32c,
    dnnl_gIdhwO32i2o = dnnl_aCdefB32c2b, dnnl_gIdhwO32i4o = dnnl_aCdefB32c4b,
    dnnl_gIdhwo48i = dnnl_aCdefb48c, dnnl_gIdhwO48i2o = dnnl_aCdefB48c2b,
    dnnl_gIdhwO48i4o = dnnl_aCdefB48c4b, dnnl_gIdhwo64i = dnnl_aCdefb64c,
    dnnl_gIdhwO64i2o = dnnl_aCdefB64c2b, dnnl_gIdhwO64i4o = dnnl_aCdefB64c4b,
    dnnl_gdhwio = dnnl_adefcb, dnnl_gdhwIo2i = dnnl_adefCb2c, dnnl_gdhwIo4i = dnnl_adefCb4c,
    dnnl_gOwI16i16o2i = dnnl_aBdC16c16b2c, dnnl_gOwI16i16o4i = dnnl_aBdC16c16b4c,
    dnnl_gOhwI16i16o2i = dnnl_aBdeC16c16b2c, dnnl_gOhwI16i16o4i = dnnl_aBdeC16c16b4c,
    dnnl_gOdhwI16i16o2i = dnnl_aBdefC16c16b2c, dnnl_gOdhwI16i16o4i = dnnl_aBdefC16c16b4c,
    dnnl_gIwO16o16i2o = dnnl_aCdB16b16c2b, dnnl_gIwO16o16i4o = dnnl_aCdB16b16c4b,
    dnnl_gIhwO16o16i2o = dnnl_aCdeB16b16c2b, dnnl_gIhwO16o16i4o = dnnl_aCdeB16b16c4b,
    dnnl_gIdhwO16o16i2o = dnnl_aCdefB16b16c2b, dnnl_gIdhwO16o16i4o = dnnl_aCdefB16b16c4b,
    dnnl_gOwI16i32o2i = dnnl_aBdC16c32b2c, dnnl_gOwI16i32o4i = dnnl_aBdC16c32b4c,
    dnnl_gOwI16i48o2i = dnnl_aBdC16c48b2c, dnnl_gOwI16i48o4i = dnnl_aBdC16c48b4c,
    dnnl_gOwI16i64o2i = dnnl_aBdC16c64b2c, dnnl_gOwI16i64o4i = dnnl_aBdC16c64b4c,
    dnnl_gIwO16o32i2o = dnnl_aCdB16b32c2b, dnnl_gIwO16o32i4o = dnnl_aCdB16b32c4b,
    dnnl_gIwO16o48i2o = dnnl_aCdB16b48c2b, dnnl_gIwO16o48i4o = dnnl_aCdB16b48c4b,
    dnnl_gIwO16o64i2o = dnnl_aCdB16b64c2b, dnnl_gIwO16o64i4o = dnnl_aCdB16b64c4b,
    dnnl_gOhwI16i32o2i = dnnl_aBdeC16c32b2c, dnnl_gOhwI16i32o4i = dnnl_aBdeC16c32b4c,
    dnnl_gOhwI16i48o2i = dnnl_aBdeC16c48b2c, dnnl_gOhwI16i48o4i = dnnl_aBdeC16c48b4c,
    dnnl_gOhwI16i64o2i = dnnl_aBdeC16c64b2c, dnnl_gOhwI16i64o4i = dnnl_aBdeC16c64b4c,
    dnnl_gIhwO16o32i2o = dnnl_aCdeB16b32c2b, dnnl_gIhwO16o32i4o = dnnl_aCdeB16b32c4b,
    dnnl_gIhwO16o48i2o = dnnl_aCdeB16b48c2b, dnnl_gIhwO16o48i4o = dnnl_aCdeB16b48c4b,
    dnnl_gIhwO16o64i2o = dnnl_aCdeB16b64c2b, dnnl_gIhwO16o64i4o = dnnl_aCdeB16b64c4b,
    dnnl_gOdhwI16i32o2i = dnnl_aBdefC16c32b2c, dnnl_gOdhwI16i32o4i = dnnl_aBdefC16c32b4c,
    dnnl_gOdhwI16i48o2i = dnnl_aBdefC16c48b2c, dnnl_gOdhwI16i48o4i = dnnl_aBdefC16c48b4c,
    dnnl_gOdhwI16i64o2i = dnnl_aBdefC16c64b2c, dnnl_gOdhwI16i64o4i = dnnl_aBdefC16c64b4c,
    dnnl_gIdhwO16o32i2o = dnnl_aCdefB16b32c2b, dnnl_gIdhwO16o32i4o = dnnl_aCdefB16b32c4b,
    dnnl_gIdhwO16o48i2o = dnnl_aCdefB16b48c2b, dnnl_gIdhwO16o48i4o = dnnl_aCdefB16b48c4b,
    dnnl_gIdhwO16o64i2o = dnnl_aCdefB16b64c2b, dnnl_gIdhwO16o64i4o = dnnl_aCdefB16b64c4b,
    dnnl_hwioG16g = dnnl_decbA16a, dnnl_hwioG8g = dnnl_decbA8a, dnnl_hwioG4g = dnnl_decbA4a,
    dnnl_dhwioG16g = dnnl_defcbA16a, dnnl_dhwioG8g = dnnl_defcbA8a, dnnl_dhwioG4g = dnnl_defcbA4a,
    dnnl_gOIdhw4o8i8o2i = dnnl_aBCdef4b8c8b2c, dnnl_gOIhw4o8i8o2i = dnnl_aBCde4b8c8b2c,
    dnnl_gOIw4o8i8o2i = dnnl_aBCd4b8c8b2c, dnnl_gIOdhw4i8o8i2o = dnnl_aCBdef4c8b8c2b,
    dnnl_gIOhw4i8o8i2o = dnnl_aCBde4c8b8c2b, dnnl_gIOw4i8o8i2o = dnnl_aCBd4c8b8c2b,
    dnnl_gOIw2o8i16o2i = dnnl_aBCd2b8c16b2c, dnnl_gIOw2i8o16i2o = dnnl_aCBd2c8b16c2b,
    dnnl_gIOhw2i8o16i2o = dnnl_aBCde2c8b16c2b, dnnl_gIOdhw2i8o16i2o = dnnl_aBCdef2c8b16c2b,
    dnnl_gOIhw2o8i16o2i = dnnl_aBCde2b8c16b2c, dnnl_gOIdhw2o8i16o2i = dnnl_aBCdef2b8c16b2c,
    dnnl_gOIw2o8i16o4i = dnnl_aBCd2b8c16b4c, dnnl_gOIhw2o8i16o4i = dnnl_aBCde2b8c16b4c,

    // Aliases: weights. o output and i input channels, d h w space.
    dnnl_oi = dnnl_ab, dnnl_io = dnnl_ba, dnnl_oiw = dnnl_abc, dnnl_owi = dnnl_acb,
    dnnl_wio = dnnl_cba, dnnl_woi = dnnl_cab, dnnl_iwo = dnnl_bca, dnnl_oihw = dnnl_abcd,
    dnnl_hwio = dnnl_cdba, dnnl_hwoi = dnnl_cdab, dnnl_ohwi = dnnl_acdb, dnnl_ihwo = dnnl_bcda,
    dnnl_iohw = dnnl_bacd, dnnl_oidhw = dnnl_abcde, dnnl_iodhw = dnnl_bacde,
    dnnl_dhwio = dnnl_cdeba, dnnl_dhwoi = dnnl_cdeab, dnnl_odhwi = dnnl_acdeb,
    dnnl_idhwo = dnnl_bcdea, dnnl_OI16i16o = dnnl_AB16b16a, dnnl_OI16i32o = dnnl_AB16b32a,
    dnnl_OI16i48o = dnnl_AB16b48a, dnnl_OI16i64o = dnnl_AB16b64a, dnnl_OI8i8o2i = dnnl_AB8b8a2b,
    dnnl_OI8i16o2i = dnnl_AB8b16a2b, dnnl_OI8i24o2i = dnnl_AB8b24a2b,
    dnnl_OI8i32o2i = dnnl_AB8b32a2b, dnnl_OI8i64o2i = dnnl_AB8b64a2b, dnnl_OI4i8o4i = dnnl_AB4b8a4b,
    dnnl_OI4i16o4i = dnnl_AB4b16a4b, dnnl_OI4i24o4i = dnnl_AB4b24a4b,
    dnnl_OI4i32o4i = dnnl_AB4b32a4b, dnnl_OI4i64o4i = dnnl_AB4b64a4b,
    dnnl_OI16i16o4i = dnnl_AB16b16a4b, dnnl_OI8i32o = dnnl_AB8b32a, dnnl_OI8i24o = dnnl_AB8b24a,
    dnnl_OI8i16o = dnnl_AB8b16a, dnnl_OI8i8o = dnnl_AB8b8a, dnnl_IOw4o4i = dnnl_BAc4a4b,
    dnnl_IOw8o8i = dnnl_BAc8a8b, dnnl_IOw16o16i = dnnl_BAc16a16b, dnnl_IOw16i16o = dnnl_BAc16b16a,
    dnnl_OIw16i16o = dnnl_ABc16b16a, dnnl_OwI16i16o = dnnl_AcB16b16a,
    dnnl_OIw16i32o = dnnl_ABc16b32a, dnnl_OwI16i32o = dnnl_AcB16b32a,
    dnnl_OIw16i48o = dnnl_ABc16b48a, dnnl_OwI16i48o = dnnl_AcB16b48a,
    dnnl_OIw16i64o = dnnl_ABc16b64a, dnnl_OwI16i64o = dnnl_AcB16b64a,
    dnnl_OIw16o16i = dnnl_ABc16a16b, dnnl_Oiw16o = dnnl_Abc16a, dnnl_Oiw32o = dnnl_Abc32a,
    dnnl_OIw4i8o4i = dnnl_ABc4b8a4b, dnnl_OwI4i8o4i = dnnl_AcB4b8a4b,
    dnnl_OIw4i16o4i = dnnl_ABc4b16a4b, dnnl_OwI4i16o4i = dnnl_AcB4b16a4b,
    dnnl_OIw4i24o4i = dnnl_ABc4b24a4b, dnnl_OwI4i24o4i = dnnl_AcB4b24a4b,
    dnnl_OIw4i32o4i = dnnl_ABc4b32a4b, dnnl_OwI4i32o4i = dnnl_AcB4b32a4b,
    dnnl_OIw4i64o4i = dnnl_ABc4b64a4b, dnnl_OwI4i64o4i = dnnl_AcB4b64a4b,
    dnnl_OIw2i8o4i = dnnl_ABc2b8a4b, dnnl_OIw16i16o4i = dnnl_ABc16b16a4b,
    dnnl_OIw16i16o2i = dnnl_ABc16b16a2b, dnnl_OIw16o16i2o = dnnl_ABc16a16b2a,
    dnnl_OIw4i4o = dnnl_ABc4b4a, dnnl_OIw4o4i = dnnl_ABc4a4b, dnnl_Oiw4o = dnnl_Abc4a,
    dnnl_Oiw8o = dnnl_Abc8a, dnnl_OIw8i8o2i = dnnl_ABc8b8a2b, dnnl_OwI8i8o2i = dnnl_AcB8b8a2b,
    dnnl_OIw8i16o2i = dnnl_ABc8b16a2b, dnnl_OwI8i16o2i = dnnl_AcB8b16a2b,
    dnnl_OIw8i24o2i = dnnl_ABc8b24a2b, dnnl_OwI8i24o2i = dnnl_AcB8b24a2b,
    dnnl_OIw8i32o2i = dnnl_ABc8b32a2b, dnnl_OwI8i32o2i = dnnl_AcB8b32a2b,
    dnnl_OIw8i64o2i = dnnl_ABc8b64a2b, dnnl_OwI8i64o2i = dnnl_AcB8b64a2b,
    dnnl_OIw8i8o = dnnl_ABc8b8a, dnnl_OwI8i8o = dnnl_AcB8b8a, dnnl_OIw8o16i2o = dnnl_ABc8a16b2a,
    dnnl_IOw8o16i2o = dnnl_BAc8a16b2a, dnnl_OIw8o8i = dnnl_ABc8a8b, dnnl_OIw8o4i = dnnl_ABc8a4b,
    dnnl_Owi16o = dnnl_Acb16a, dnnl_OwI16o2i = dnnl_AcB16a2b, dnnl_OwI16o4i = dnnl_AcB16a4b,
    dnnl_Iwo8i = dnnl_Bca8b, dnnl_IwO8i2o = dnnl_BcA8b2a, dnnl_IwO8i4o = dnnl_BcA8b4a,
    dnnl_Iwo16i = dnnl_Bca16b, dnnl_IwO16i2o = dnnl_BcA16b2a, dnnl_IwO16i4o = dnnl_BcA16b4a,
    dnnl_Iwo24i = dnnl_Bca24b, dnnl_IwO24i2o = dnnl_BcA24b2a, dnnl_IwO24i4o = dnnl_BcA24b4a,
    dnnl_Owi4o = dnnl_Acb4a, dnnl_Owi8o = dnnl_Acb8a, dnnl_OwI8o2i = dnnl_AcB8a2b,
    dnnl_OIw8i32o = dnnl_ABc8b32a, dnnl_OwI8i32o = dnnl_AcB8b32a, dnnl_OIw8i24o = dnnl_ABc8b24a,
    dnnl_OwI8i24o = dnnl_AcB8b24a, dnnl_OIw8i16o = dnnl_ABc8b16a, dnnl_OwI8i16o = dnnl_AcB8b16a,
    dnnl_OwI8o4i = dnnl_AcB8a4b, dnnl_IOhw16i16o = dnnl_BAcd16b16a, dnnl_IOhw4o4i = dnnl_BAcd4a4b,
    dnnl_IOhw8o8i = dnnl_BAcd8a8b, dnnl_IOhw16o16i = dnnl_BAcd16a16b, dnnl_Ohwi16o = dnnl_Acdb16a,
    dnnl_OhwI16o2i = dnnl_AcdB16a2b, dnnl_OhwI16o4i = dnnl_AcdB16a4b, dnnl_Ihwo8i = dnnl_Bcda8b,
    dnnl_IhwO8i2o = dnnl_BcdA8b2a, dnnl_IhwO8i4o = dnnl_BcdA8b4a, dnnl_Ihwo16i = dnnl_Bcda16b,
    dnnl_IhwO16i2o = dnnl_BcdA16b2a, dnnl_IhwO16i4o = dnnl_BcdA16b4a, dnnl_Ihwo24i = dnnl_Bcda24b,
    dnnl_IhwO24i2o = dnnl_BcdA24b2a, dnnl_IhwO24i4o = dnnl_BcdA24b4a, dnnl_Ohwi24o = dnnl_Acdb24a,
    dnnl_Ohwi32o = dnnl_Acdb32a, dnnl_Ohwi4o = dnnl_Acdb4a, dnnl_Ohwi8o = dnnl_Acdb8a,
    dnnl_OhwI8o2i = dnnl_AcdB8a2b, dnnl_OhwI8o4i = dnnl_AcdB8a4b, dnnl_OIhw16i16o = dnnl_ABcd16b16a,
    dnnl_OhwI16i16o = dnnl_AcdB16b16a, dnnl_OIhw16i32o = dnnl_ABcd16b32a,
    dnnl_OhwI16i32o = dnnl_AcdB16b32a, dnnl_OIhw16i48o = dnnl_ABcd16b48a,
    dnnl_OhwI16i48o = dnnl_AcdB16b48a, dnnl_OIhw16i64o = dnnl_ABcd16b64a,
    dnnl_OhwI16i64o = dnnl_AcdB16b64a, dnnl_OIhw16o16i = dnnl_ABcd16a16b,
    dnnl_Oihw16o = dnnl_Abcd16a, dnnl_Oihw32o = dnnl_Abcd32a, dnnl_OIhw4i8o4i = dnnl_ABcd4b8a4b,
    dnnl_OhwI4i8o4i = dnnl_AcdB4b8a4b, dnnl_OIhw4i16o4i = dnnl_ABcd4b16a4b,
    dnnl_OhwI4i16o4i = dnnl_AcdB4b16a4b, dnnl_OIhw4i24o4i = dnnl_ABcd4b24a4b,
    dnnl_OhwI4i24o4i = dnnl_AcdB4b24a4b, dnnl_OIhw4i32o4i = dnnl_ABcd4b32a4b,
    dnnl_OhwI4i32o4i = dnnl_AcdB4b32a4b, dnnl_OIhw4i64o4i = dnnl_ABcd4b64a4b,
    dnnl_OhwI4i64o4i = dnnl_AcdB4b64a4b, dnnl_OIhw16i16o4i = dnnl_ABcd16b16a4b,
    dnnl_OIhw16i16o2i = dnnl_ABcd16b16a2b, dnnl_OIhw16o16i2o = dnnl_ABcd16a16b2a,
    dnnl_OIhw4i4o = dnnl_ABcd4b4a, dnnl_OIhw4o4i = dnnl_ABcd4a4b, dnnl_Oihw4o = dnnl_Abcd4a,
    dnnl_Oihw8o = dnnl_Abcd8a, dnnl_OIhw8i8o2i = dnnl_ABcd8b8a2b, dnnl_OhwI8i8o2i = dnnl_AcdB8b8a2b,
    dnnl_OIhw8i16o2i = dnnl_ABcd8b16a2b, dnnl_OhwI8i16o2i = dnnl_AcdB8b16a2b,
    dnnl_OIhw8i32o2i = dnnl_ABcd8b32a2b, dnnl_OhwI8i32o2i = dnnl_AcdB8b32a2b,
    dnnl_OIhw8i24o2i = dnnl_ABcd8b24a2b, dnnl_OhwI8i24o2i = dnnl_AcdB8b24a2b,
    dnnl_OIhw8i64o2i = dnnl_ABcd8b64a2b, dnnl_OhwI8i64o2i = dnnl_AcdB8b64a2b,
    dnnl_OIhw8i8o = dnnl_ABcd8b8a, dnnl_OhwI8i8o = dnnl_AcdB8b8a,
    dnnl_OIhw8o16i2o = dnnl_ABcd8a16b2a, dnnl_OIhw2i8o4i = dnnl_ABcd2b8a4b,
    dnnl_IOhw8o16i2o = dnnl_BAcd8a16b2a, dnnl_OIhw8o8i = dnnl_ABcd8a8b,
    dnnl_OIhw8o4i = dnnl_ABcd8a4b, dnnl_Owhi16o = dnnl_Adcb16a, dnnl_OIhw8i32o = dnnl_ABcd8b32a,
    dnnl_OhwI8i32o = dnnl_AcdB8b32a, dnnl_OIhw8i24o = dnnl_ABcd8b24a,
    dnnl_OhwI8i24o = dnnl_AcdB8b24a, dnnl_OIhw8i16o = dnnl_ABcd8b16a,
    dnnl_OhwI8i16o = dnnl_AcdB8b16a, dnnl_Odhwi16o = dnnl_Acdeb16a,
    dnnl_OdhwI16o2i = dnnl_AcdeB16a2b, dnnl_OdhwI16o4i = dnnl_AcdeB16a4b,
    dnnl_Idhwo8i = dnnl_Bcdea8b, dnnl_IdhwO8i2o = dnnl_BcdeA8b2a, dnnl_IdhwO8i4o = dnnl_BcdeA8b4a,
    dnnl_Idhwo16i = dnnl_Bcdea16b, dnnl_IdhwO16i2o = dnnl_BcdeA16b2a,
    dnnl_IdhwO16i4o = dnnl_BcdeA16b4a, dnnl_Idhwo24i = dnnl_Bcdea24b,
    dnnl_IdhwO24i2o = dnnl_BcdeA24b2a, dnnl_IdhwO24i4o = dnnl_BcdeA24b4a,
    dnnl_Odhwi4o = dnnl_Acdeb4a, dnnl_Odhwi8o = dnnl_Acdeb8a, dnnl_OdhwI8o2i = dnnl_AcdeB8a2b,
    dnnl_OdhwI8o4i = dnnl_AcdeB8a4b, dnnl_Odwhi16o = dnnl_Acedb16a,
    dnnl_OIdhw16i16o = dnnl_ABcde16b16a, dnnl_OdhwI16i16o = dnnl_AcdeB16b16a,
    dnnl_OIdhw16i32o = dnnl_ABcde16b32a, dnnl_OdhwI16i32o = dnnl_AcdeB16b32a,
    dnnl_OIdhw16i48o = dnnl_ABcde16b48a, dnnl_OdhwI16i48o = dnnl_AcdeB16b48a,
    dnnl_OIdhw16i64o = dnnl_ABcde16b64a, dnnl_OdhwI16i64o = dnnl_AcdeB16b64a,
    dnnl_OIdhw16o16i = dnnl_ABcde16a16b, dnnl_Oidhw16o = dnnl_Abcde16a,
    dnnl_Oidhw32o = dnnl_Abcde32a, dnnl_OIdhw4i4o = dnnl_ABcde4b4a, dnnl_OIdhw4o4i = dnnl_ABcde4a4b,
    dnnl_Oidhw4o = dnnl_Abcde4a, dnnl_Oidhw8o = dnnl_Abcde8a, dnnl_OIdhw8i8o2i = dnnl_ABcde8b8a2b,
    dnnl_OdhwI8i8o2i = dnnl_AcdeB8b8a2b, dnnl_OIdhw8i16o2i = dnnl_ABcde8b16a2b,
    dnnl_OdhwI8i16o2i = dnnl_AcdeB8b16a2b, dnnl_OIdhw8i32o2i = dnnl_ABcde8b32a2b,
    dnnl_OdhwI8i32o2i = dnnl_AcdeB8b32a2b, dnnl_OIdhw8i24o2i = dnnl_ABcde8b24a2b,
    dnnl_OdhwI8i24o2i = dnnl_AcdeB8b24a2b, dnnl_OIdhw8i64o2i = dnnl_ABcde8b64a2b,
    dnnl_OdhwI8i64o2i = dnnl_AcdeB8b64a2b, dnnl_OIdhw8i8o = dnnl_ABcde8b8a,
    dnnl_OdhwI8i8o = dnnl_AcdeB8b8a, dnnl_OIdhw8o16i2o = dnnl_ABcde8a16b2a,
    dnnl_IOdhw8o16i2o = dnnl_BAcde8a16b2a, dnnl_OIdhw4i8o4i = dnnl_ABcde4b8a4b,
    dnnl_OdhwI4i8o4i = dnnl_AcdeB4b8a4b, dnnl_OIdhw4i16o4i = dnnl_ABcde4b16a4b,
    dnnl_OdhwI4i16o4i = dnnl_AcdeB4b16a4b, dnnl_OIdhw4i24o4i = dnnl_ABcde4b24a4b,
    dnnl_OdhwI4i24o4i = dnnl_AcdeB4b24a4b, dnnl_OIdhw4i32o4i = dnnl_ABcde4b32a4b,
    dnnl_OdhwI4i32o4i = dnnl_AcdeB4b32a4b, dnnl_OIdhw4i64o4i = dnnl_ABcde4b64a4b,
    dnnl_OdhwI4i64o4i = dnnl_AcdeB4b64a4b, dnnl_OIdhw16i16o4i = dnnl_ABcde16b16a4b,
    dnnl_OIdhw16i16o2i = dnnl_ABcde16b16a2b, dnnl_OIdhw2i8o4i = dnnl_ABcde2b8a4b,
    dnnl_OIdhw8o8i = dnnl_ABcde8a8b, dnnl_OIdhw8o4i = dnnl_ABcde8a4b,
    dnnl_IOdhw16i16o = dnnl_BAcde16b16a, dnnl_OIdhw4o8i8o4i = dnnl_ABcde4a8b8a4b,
    dnnl_IOdhw4o4i = dnnl_BAcde4a4b, dnnl_IOdhw8o8i = dnnl_BAcde8a8b,
    dnnl_IOdhw16o16i = dnnl_BAcde16a16b, dnnl_OIdhw16o16i2o = dnnl_ABcde16a16b2a,
    dnnl_OIdhw8i32o = dnnl_ABcde8b32a, dnnl_OdhwI8i32o = dnnl_AcdeB8b32a,
    dnnl_OIdhw8i24o = dnnl_ABcde8b24a, dnnl_OdhwI8i24o = dnnl_AcdeB8b24a,
    dnnl_OIdhw8i16o = dnnl_ABcde8b16a, dnnl_OdhwI8i16o = dnnl_AcdeB8b16a,
    dnnl_OIw4o8i8o4i = dnnl_ABc4a8b8a4b, dnnl_OIhw4o8i8o4i = dnnl_ABcd4a8b8a4b,
    dnnl_IOw4i8o8i4o = dnnl_BAc4b8a8b4a, dnnl_IOhw4i8o8i4o = dnnl_BAcd4b8a8b4a,
    dnnl_IOdhw4i8o8i4o = dnnl_BAcde4b8a8b4a, dnnl_OIhw2o8i8o2i = dnnl_ABcd2a8b8a2b,
    dnnl_Owi24o = dnnl_Acb24a, dnnl_OwI24o2i = dnnl_AcB24a2b, dnnl_OwI24o4i = dnnl_AcB24a4b,
    dnnl_Owi32o = dnnl_Acb32a, dnnl_OwI32o2i = dnnl_AcB32a2b, dnnl_OwI32o4i = dnnl_AcB32a4b,
    dnnl_Owi48o = dnnl_Acb48a, dnnl_OwI48o2i = dnnl_AcB48a2b, dnnl_OwI48o4i = dnnl_AcB48a4b,
    dnnl_Owi64o = dnnl_Acb64a, dnnl_OwI64o2i = dnnl_AcB64a2b, dnnl_OwI64o4i = dnnl_AcB64a4b,
    dnnl_Iwo32i = dnnl_Bca32b, dnnl_IwO32i2o = dnnl_BcA32b2a, dnnl_IwO32i4o = dnnl_BcA32b4a,
    dnnl_Iwo48i = dnnl_Bca48b, dnnl_IwO48i2o = dnnl_BcA48b2a, dnnl_IwO48i4o = dnnl_BcA48b4a,
    dnnl_Iwo64i = dnnl_Bca64b, dnnl_IwO64i2o = dnnl_BcA64b2a, dnnl_IwO64i4o = dnnl_BcA64b4a,
    dnnl_wIo2i = dnnl_cBa2b, dnnl_wIo4i = dnnl_cBa4b, dnnl_OhwI24o = dnnl_Acdb24a,
    dnnl_OhwI24o2i = dnnl_AcdB24a2b, dnnl_OhwI24o4i = dnnl_AcdB24a4b, dnnl_OhwI32o = dnnl_Acdb32a,
    dnnl_OhwI32o2i = dnnl_AcdB32a2b, dnnl_OhwI32o4i = dnnl_AcdB32a4b, dnnl_Ohwi48o = dnnl_Acdb48a,
    dnnl_OhwI48o2i = dnnl_AcdB48a2b, dnnl_OhwI48o4i = dnnl_AcdB48a4b, dnnl_Ohwi64o = dnnl_Acdb64a,
    dnnl_OhwI64o2i = dnnl_AcdB64a2b, dnnl_OhwI64o4i = dnnl_AcdB64a4b, dnnl_Ihwo32i = dnnl_Bcda32b,
    dnnl_IhwO32i2o = dnnl_BcdA32b2a, dnnl_IhwO32i4o = dnnl_BcdA32b4a, dnnl_Ihwo48i = dnnl_Bcda48b,
    dnnl_IhwO48i2o = dnnl_BcdA48b2a, dnnl_IhwO48i4o = dnnl_BcdA48b4a, dnnl_Ihwo64i = dnnl_Bcda64b,
    dnnl_IhwO64i2o = dnnl_BcdA64b2a, dnnl_IhwO64i4o = dnnl_BcdA64b4a, dnnl_hwIo2i = dnnl_cdBa2b,
    dnnl_hwIo4i = dnnl_cdBa4b, dnnl_Odhwi24o = dnnl_Acdeb24a, dnnl_OdhwI24o2i = dnnl_AcdeB24a2b,
    dnnl_OdhwI24o4i = dnnl_AcdeB24a4b, dnnl_Odhwi32o = dnnl_Acdeb32a,
    dnnl_OdhwI32o2i = dnnl_AcdeB32a2b, dnnl_OdhwI32o4i = dnnl_AcdeB32a4b,
    dnnl_Odhwi48o = dnnl_Acdeb48a, dnnl_OdhwI48o2i = dnnl_AcdeB48a2b,
    dnnl_OdhwI48o4i = dnnl_AcdeB48a4b, dnnl_Odhwi64o = dnnl_Acdeb64a,
    dnnl_OdhwI64o2i = dnnl_AcdeB64a2b, dnnl_OdhwI64o4i = dnnl_AcdeB64a4b,
    dnnl_Idhwo32i = dnnl_Bcdea32b, dnnl_IdhwO32i2o = dnnl_BcdeA32b2a,
    dnnl_IdhwO32i4o = dnnl_BcdeA32b4a, dnnl_Idhwo48i = dnnl_Bcdea48b,
    dnnl_IdhwO48i2o = dnnl_BcdeA48b2a, dnnl_IdhwO48i4o = dnnl_BcdeA48b4a,
    dnnl_Idhwo64i = dnnl_Bcdea64b, dnnl_IdhwO64i2o = dnnl_BcdeA64b2a,
    dnnl_IdhwO64i4o = dnnl_BcdeA64b4a, dnnl_dhwIo2i = dnnl_cdeBa2b, dnnl_dhwIo4i = dnnl_cdeBa4b,
    dnnl_OI16i32o4i = dnnl_AB16b32a4b, dnnl_OI16i48o4i = dnnl_AB16b48a4b,
    dnnl_OI16i64o4i = dnnl_AB16b64a4b, dnnl_OI16i16o2i = dnnl_AB16b16a2b,
    dnnl_OI16i32o2i = dnnl_AB16b32a2b, dnnl_OI16i48o2i = dnnl_AB16b48a2b,
    dnnl_OI16i64o2i = dnnl_AB16b64a2b, dnnl_OIw16i32o4i = dnnl_ABc16b32a4b,
    dnnl_OIw16i48o4i = dnnl_ABc16b48a4b, dnnl_OIw16i64o4i = dnnl_ABc16b64a4b,
    dnnl_OIw16i32o2i = dnnl_ABc16b32a2b, dnnl_OIw16i48o2i = dnnl_ABc16b48a2b,
    dnnl_OIw16i64o2i = dnnl_ABc16b64a2b, dnnl_OIhw16i32o4i = dnnl_ABcd16b32a4b,
    dnnl_OIhw16i48o4i = dnnl_ABcd16b48a4b, dnnl_OIhw16i64o4i = dnnl_ABcd16b64a4b,
    dnnl_OIhw16i32o2i = dnnl_ABcd16b32a2b, dnnl_OIhw16i48o2i = dnnl_ABcd16b48a2b,
    dnnl_OIhw16i64o2i = dnnl_ABcd16b64a2b, dnnl_OIdhw16i32o4i = dnnl_ABcde16b32a4b,
    dnnl_OIdhw16i48o4i = dnnl_ABcde16b48a4b, dnnl_OIdhw16i64o4i = dnnl_ABcde16b64a4b,
    dnnl_OIdhw16i32o2i = dnnl_ABcde16b32a2b, dnnl_OIdhw16i48o2i = dnnl_ABcde16b48a2b,
    dnnl_OIdhw16i64o2i = dnnl_ABcde16b64a2b, dnnl_OwI16i16o2i = dnnl_AcB16b16a2b,
    dnnl_OwI16i16o4i = dnnl_AcB16b16a4b, dnnl_OhwI16i16o2i = dnnl_AcdB16b16a2b,
    dnnl_OhwI16i16o4i = dnnl_AcdB16b16a4b, dnnl_OdhwI16i16o2i = dnnl_AcdeB16b16a2b,
    dnnl_OdhwI16i16o4i = dnnl_AcdeB16b16a4b, dnnl_IwO16o16i2o = dnnl_BcA16a16b2a,
    dnnl_IwO16o16i4o = dnnl_BcA16a16b4a, dnnl_IhwO16o16i2o = dnnl_BcdA16a16b2a,
    dnnl_IhwO16o16i4o = dnnl_BcdA16a16b4a, dnnl_IdhwO16o16i2o = dnnl_BcdeA16a16b2a,
    dnnl_IdhwO16o16i4o = dnnl_BcdeA16a16b4a, dnnl_OwI16i32o2i = dnnl_AcB16b32a2b,
    dnnl_OwI16i32o4i = dnnl_AcB16b32a4b, dnnl_OwI16i48o2i = dnnl_AcB16b48a2b,
    dnnl_OwI16i48o4i = dnnl_AcB16b48a4b, dnnl_OwI16i64o2i = dnnl_AcB16b64a2b,
    dnnl_OwI16i64o4i = dnnl_AcB16b64a4b, dnnl_IwO16o32i2o = dnnl_BcA16a32b2a,
    dnnl_IwO16o32i4o = dnnl_BcA16a32b4a, dnnl_IwO16o48i2o = dnnl_BcA16a48b2a,
    dnnl_IwO16o48i4o = dnnl_BcA16a48b4a, dnnl_IwO16o64i2o = dnnl_BcA16a64b2a,
    dnnl_IwO16o64i4o = dnnl_BcA16a64b4a, dnnl_OhwI16i32o2i = dnnl_AcdB16b32a2b,
    dnnl_OhwI16i32o4i = dnnl_AcdB16b32a4b, dnnl_OhwI16i48o2i = dnnl_AcdB16b48a2b,
    dnnl_OhwI16i48o4i = dnnl_AcdB16b48a4b, dnnl_OhwI16i64o2i = dnnl_AcdB16b64a2b,
    dnnl_OhwI16i64o4i = dnnl_AcdB16b64a4b, dnnl_IhwO16o32i2o = dnnl_BcdA16a32b2a,
    dnnl_IhwO16o32i4o = dnnl_BcdA16a32b4a, dnnl_IhwO16o48i2o = dnnl_BcdA16a48b2a,
    dnnl_IhwO16o48i4o = dnnl_BcdA16a48b4a, dnnl_IhwO16o64i2o = dnnl_BcdA16a64b2a,
    dnnl_IhwO16o64i4o = dnnl_BcdA16a64b4a, dnnl_OdhwI16i32o2i = dnnl_AcdeB16b32a2b,
    dnnl_OdhwI16i32o4i = dnnl_AcdeB16b32a4b, dnnl_OdhwI16i48o2i = dnnl_AcdeB16b48a2b,
    dnnl_OdhwI16i48o4i = dnnl_AcdeB16b48a4b, dnnl_OdhwI16i64o2i = dnnl_AcdeB16b64a2b,
    dnnl_OdhwI16i64o4i = dnnl_AcdeB16b64a4b, dnnl_IdhwO16o32i2o = dnnl_BcdeA16a32b2a,
    dnnl_IdhwO16o32i4o = dnnl_BcdeA16a32b4a, dnnl_IdhwO16o48i2o = dnnl_BcdeA16a48b2a,
    dnnl_IdhwO16o48i4o = dnnl_BcdeA16a48b4a, dnnl_IdhwO16o64i2o = dnnl_BcdeA16a64b2a,
    dnnl_IdhwO16o64i4o = dnnl_BcdeA16a64b4a, dnnl_OIdhw4o8i8o2i = dnnl_ABcde4a8b8a2b,
    dnnl_OIhw4o8i8o2i = dnnl_ABcd4a8b8a2b, dnnl_OIw4o8i8o2i = dnnl_ABc4a8b8a2b,
    dnnl_IOdhw4i8o8i2o = dnnl_BAcde4b8a8b2a, dnnl_IOhw4i8o8i2o = dnnl_BAcd4b8a8b2a,
    dnnl_IOw4i8o8i2o = dnnl_BAc4b8a8b2a, dnnl_OIw2i8o16i4o = dnnl_ABc2b8a16b4a,
    dnnl_OIhw2i8o16i4o = dnnl_ABcd2b8a16b4a, dnnl_OIdhw2i8o16i4o = dnnl_ABcde2b8a16b4a,
    dnnl_OIw2o8i16o4i = dnnl_ABc2a8b16a4b, dnnl_OIw2o8i16o2i = dnnl_ABc2a8b16a2b,
    dnnl_IOw2i8o16i4o = dnnl_BAc2b8a16b4a, dnnl_IOw2i8o16i2o = dnnl_BAc2b8a16b2a,
    dnnl_OIhw2o8i16o4i = dnnl_ABcd2a8b16a4b, dnnl_OIhw2o8i16o2i = dnnl_ABcd2a8b16a2b,
    dnnl_IOhw2i8o16i4o = dnnl_BAcd2b8a16b4a, dnnl_IOhw2i8o16i2o = dnnl_BAcd2b8a16b2a,
    dnnl_OIdhw2o8i16o4i = dnnl_ABcde2a8b16a4b, dnnl_OIdhw2o8i16o2i = dnnl_ABcde2a8b16a2b,
    dnnl_IOdhw2i8o16i4o = dnnl_BAcde2b8a16b4a, dnnl_IOdhw2i8o16i2o = dnnl_BAcde2b8a16b2a,
} dnnl_format_tag_t;
// clang-format on

// -- Operations -----------------------------------------------------------------------------------

/// The propagation of an operation.
typedef enum {
    dnnl_prop_kind_undef = 0x0, ///< Unspecified.
    /// Forward, with the outputs that backward needs (statistics, workspace).
    dnnl_forward_training = 0x40,
    dnnl_forward_inference = 0x60,        ///< Forward, without them.
    dnnl_forward = dnnl_forward_training, ///< Another name for dnnl_forward_training.
    dnnl_backward = 0x80,                 ///< The gradients of data and of weights.
    dnnl_backward_data = 0xa0,            ///< The gradient of data only.
    dnnl_backward_weights = 0xc0,         ///< The gradients of weights and bias only.
    dnnl_backward_bias = 0xc1,            ///< The gradient of bias only.
} dnnl_prop_kind_t;

/// The operation of a primitive, or of a post-op.
typedef enum {
    dnnl_undefined_primitive = 0, ///< None.
    dnnl_reorder = 1,             ///< Copies between layouts and data types.
    dnnl_shuffle = 2,             ///< Permutes groups of channels.
    dnnl_concat = 3,              ///< Joins tensors along an axis.
    dnnl_sum = 4,                 ///< Adds several tensors, each with a scale.
    dnnl_convolution = 5,
    dnnl_deconvolution = 6,
    dnnl_eltwise = 7,
    dnnl_lrn = 8, ///< Local response normalization.
    dnnl_batch_normalization = 9,
    dnnl_inner_product = 10, ///< A fully connected layer.
    dnnl_rnn = 11,           ///< A recurrent layer, of any cell.
    dnnl_gemm = 12,          ///< Matrix multiplication on plain pointers.
    dnnl_binary = 13,        ///< Combines two tensors element by element.
    dnnl_matmul = 14,        ///< Matrix multiplication.
    dnnl_resampling = 15,    ///< Changes the spatial size by interpolation.
    dnnl_pooling = 16,
    dnnl_reduction = 17, ///< Reduces a tensor along axes.
    dnnl_prelu = 18,     ///< Leaky ReLU with a learned slope.
    dnnl_softmax = 19,
    dnnl_layer_normalization = 20,
    dnnl_group_normalization = 21,

    dnnl_primitive_kind_max = 0x7fff, ///< Not a kind; makes the enumeration at least 16 bits wide.
} dnnl_primitive_kind_t;

/// The algorithm of an operation that has several.
typedef enum {
    dnnl_alg_kind_undef = 0x0, ///< None.

    // Convolution.
    dnnl_convolution_direct = 0x1,     ///< By the definition.
    dnnl_convolution_winograd = 0x2,   ///< By Winograd's method.
    dnnl_convolution_auto = 0x3,       ///< Whichever is faster.
    dnnl_deconvolution_direct = 0xa,   ///< By the definition.
    dnnl_deconvolution_winograd = 0xb, ///< By Winograd's method.

    // Elementwise: functions of x with the parameters alpha and beta.
    dnnl_eltwise_relu = 0x20,        ///< x if x > 0, else alpha * x
    dnnl_eltwise_tanh = 0x21,        ///< tanh(x)
    dnnl_eltwise_elu = 0x22,         ///< x if x > 0, else alpha * (exp(x) - 1)
    dnnl_eltwise_square = 0x23,      ///< x * x
    dnnl_eltwise_abs = 0x24,         ///< |x|
    dnnl_eltwise_sqrt = 0x25,        ///< sqrt(x)
    dnnl_eltwise_linear = 0x26,      ///< alpha * x + beta
    dnnl_eltwise_soft_relu = 0x27,   ///< log(1 + exp(alpha * x)) / alpha
    dnnl_eltwise_hardsigmoid = 0x28, ///< max(0, min(1, alpha * x + beta))
    dnnl_eltwise_logistic = 0x29,    ///< 1 / (1 + exp(-x))
    dnnl_eltwise_exp = 0x2a,         ///< exp(x)
    dnnl_eltwise_gelu_tanh = 0x2b,   ///< x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
    dnnl_eltwise_swish = 0x2c,       ///< x / (1 + exp(-alpha * x))
    dnnl_eltwise_log = 0x2d,         ///< log(x)
    dnnl_eltwise_clip = 0x2e,        ///< max(alpha, min(beta, x)); has a gradient at x = beta
    dnnl_eltwise_clip_v2 = 0x2f,     ///< The same, but without a gradient at x = beta.
    dnnl_eltwise_pow = 0x30,         ///< alpha * x^beta
    dnnl_eltwise_gelu_erf = 0x31,    ///< x / 2 * (1 + erf(x / sqrt(2)))
    dnnl_eltwise_round = 0x32,       ///< The nearest integer; even if two are equally near.
    dnnl_eltwise_mish = 0x33,        ///< x * tanh(log(1 + exp(x)))
    dnnl_eltwise_hardswish = 0x34,   ///< x * max(0, min(1, alpha * x + beta))

    // The same functions, but the gradient is computed from the result, not from x.
    dnnl_eltwise_relu_use_dst_for_bwd = 0x100,
    dnnl_eltwise_tanh_use_dst_for_bwd = 0x101,
    dnnl_eltwise_elu_use_dst_for_bwd = 0x102,
    dnnl_eltwise_sqrt_use_dst_for_bwd = 0x103,
    dnnl_eltwise_logistic_use_dst_for_bwd = 0x104,
    dnnl_eltwise_exp_use_dst_for_bwd = 0x105,
    dnnl_eltwise_clip_v2_use_dst_for_bwd = 0x106,

    // Pooling: the function of a window.
    dnnl_pooling_max = 0x1ff,                 ///< Maximum.
    dnnl_pooling_avg_include_padding = 0x2ff, ///< Mean, with padding as zeros.
    dnnl_pooling_avg_exclude_padding = 0x3ff, ///< Mean of the elements that are not padding.

    // Local response normalization: the neighbours of an element.
    dnnl_lrn_across_channels = 0xaff, ///< The same position in other channels.
    dnnl_lrn_within_channel = 0xbff,  ///< Adjacent positions in the same channel.

    // Recurrent cells. lbr, linear before reset: the reset gate acts after the weights, not
    // before.
    dnnl_vanilla_rnn = 0x1fff,
    dnnl_vanilla_lstm = 0x2fff,
    dnnl_vanilla_gru = 0x3fff,
    dnnl_lbr_gru = 0x4fff,
    dnnl_vanilla_augru = 0x5fff,
    dnnl_lbr_augru = 0x6fff,

    // Binary: comparisons give 1 or 0.
    dnnl_binary_add = 0x1fff0,    ///< src0 + src1
    dnnl_binary_mul = 0x1fff1,    ///< src0 * src1
    dnnl_binary_max = 0x1fff2,    ///< max(src0, src1)
    dnnl_binary_min = 0x1fff3,    ///< min(src0, src1)
    dnnl_binary_div = 0x1fff4,    ///< src0 / src1
    dnnl_binary_sub = 0x1fff5,    ///< src0 - src1
    dnnl_binary_ge = 0x1fff6,     ///< src0 >= src1
    dnnl_binary_gt = 0x1fff7,     ///< src0 > src1
    dnnl_binary_le = 0x1fff8,     ///< src0 <= src1
    dnnl_binary_lt = 0x1fff9,     ///< src0 < src1
    dnnl_binary_eq = 0x1fffa,     ///< src0 == src1
    dnnl_binary_ne = 0x1fffb,     ///< src0 != src1
    dnnl_binary_select = 0x1fffc, ///< src0 where src2 is not zero, else src1

    // Resampling.
    dnnl_resampling_nearest = 0x2fff0, ///< The nearest element.
    dnnl_resampling_linear = 0x2fff1,  ///< Linear in each of the spatial dimensions.

    // Reduction, with the parameters p and eps.
    dnnl_reduction_max = 0x2fff2,                 ///< max(x)
    dnnl_reduction_min = 0x2fff3,                 ///< min(x)
    dnnl_reduction_sum = 0x2fff4,                 ///< sum(x)
    dnnl_reduction_mul = 0x2fff5,                 ///< product(x)
    dnnl_reduction_mean = 0x2fff6,                ///< sum(x) / count
    dnnl_reduction_norm_lp_max = 0x2fff7,         ///< max(sum(|x|^p), eps)^(1 / p)
    dnnl_reduction_norm_lp_sum = 0x2fff8,         ///< (sum(|x|^p) + eps)^(1 / p)
    dnnl_reduction_norm_lp_power_p_max = 0x2fff9, ///< max(sum(|x|^p), eps)
    dnnl_reduction_norm_lp_power_p_sum = 0x2fffa, ///< sum(|x|^p) + eps

    // Softmax; the maximum is subtracted first to prevent overflow.
    dnnl_softmax_accurate = 0x30000, ///< exp(x) / sum(exp(x))
    dnnl_softmax_log = 0x30001,      ///< x - log(sum(exp(x)))
} dnnl_alg_kind_t;

/// Additional steps of a normalization; a combination of flags.
typedef enum {
    dnnl_normalization_flags_none = 0x0, ///< Nothing.
    /// Statistics are inputs, and constants in the gradient.
    dnnl_use_global_stats = 0x1,
    dnnl_use_scale = 0x2,           ///< The normalized value is multiplied by scale.
    dnnl_use_shift = 0x4,           ///< Shift is added.
    dnnl_fuse_norm_relu = 0x8,      ///< ReLU follows. Training stores its mask in the workspace.
    dnnl_fuse_norm_add_relu = 0x10, ///< A second source is added, then ReLU follows as above.
    /// Values are divided by their root mean square; no mean is subtracted. The mean of squares is
    /// the variance.
    dnnl_rms_norm = 0x20,
} dnnl_normalization_flags_t;

/// Flags of recurrent primitives.
typedef enum {
    dnnl_rnn_flags_undef = 0x0, ///< Gradients of weights are added to the memory's contents.
    dnnl_rnn_flags_diff_weights_overwrite = 0x1, ///< They replace it.
} dnnl_rnn_flags_t;

/// The direction of a recurrent primitive in time.
typedef enum {
    dnnl_rnn_direction_undef = 0,       ///< Unspecified.
    dnnl_unidirectional_left2right = 1, ///< Forward.
    dnnl_unidirectional_right2left = 2, ///< Backward.
    dnnl_bidirectional_concat = 3,      ///< Both; the results are concatenated.
    dnnl_bidirectional_sum = 4,         ///< Both; the results are added.
} dnnl_rnn_direction_t;

// -- Values known only at execution ---------------------------------------------------------------

/// A dimension, stride or offset that is given when the primitive runs.
#define DNNL_RUNTIME_DIM_VAL INT64_MIN

/// The size of a memory descriptor with such a dimension.
#define DNNL_RUNTIME_SIZE_VAL ((size_t)DNNL_RUNTIME_DIM_VAL)

/// A float given at execution: a specific NaN, identified by its bits.
static const union {
    unsigned u;
    float f;
} DNNL_RUNTIME_F32_VAL_REP = {0x7fc000d0};
#define DNNL_RUNTIME_F32_VAL (DNNL_RUNTIME_F32_VAL_REP.f)

/// An int32 given at execution.
static const int DNNL_RUNTIME_S32_VAL_REP = INT32_MIN;
#define DNNL_RUNTIME_S32_VAL DNNL_RUNTIME_S32_VAL_REP

// -- Objects --------------------------------------------------------------------------------------

/// A memory descriptor: dimensions, data type and layout of a tensor, without its data. Opaque.
struct dnnl_memory_desc;
typedef struct dnnl_memory_desc *dnnl_memory_desc_t;
typedef const struct dnnl_memory_desc *const_dnnl_memory_desc_t;

/// A memory object: a descriptor, an engine and the buffers with the data. Opaque.
struct dnnl_memory;
typedef struct dnnl_memory *dnnl_memory_t;
typedef const struct dnnl_memory *const_dnnl_memory_t;

/// A primitive descriptor: an operation with its parameters and the chosen implementation.
/// Opaque.
struct dnnl_primitive_desc;
typedef struct dnnl_primitive_desc *dnnl_primitive_desc_t;
typedef const struct dnnl_primitive_desc *const_dnnl_primitive_desc_t;

/// A primitive: an executable operation for data of the described shapes. Opaque.
struct dnnl_primitive;
typedef struct dnnl_primitive *dnnl_primitive_t;
typedef const struct dnnl_primitive *const_dnnl_primitive_t;

/// Attributes: optional properties of an operation. Opaque.
struct dnnl_primitive_attr;
typedef struct dnnl_primitive_attr *dnnl_primitive_attr_t;
typedef const struct dnnl_primitive_attr *const_dnnl_primitive_attr_t;

/// Post-ops: operations that are applied to the result before it is stored. Opaque.
struct dnnl_post_ops;
typedef struct dnnl_post_ops *dnnl_post_ops_t;
typedef const struct dnnl_post_ops *const_dnnl_post_ops_t;

// -- Attribute values -----------------------------------------------------------------------------

/// The owner of the scratchpad of executions.
typedef enum {
    dnnl_scratchpad_mode_library = 0, ///< The library. The default.
    /// The caller, who passes it as DNNL_ARG_SCRATCHPAD with the size of dnnl_query_scratchpad_md.
    dnnl_scratchpad_mode_user = 1,
} dnnl_scratchpad_mode_t;

/// How a result is rounded to a narrower type.
typedef enum {
    dnnl_rounding_mode_environment = 0, ///< The mode of the processor. The default.
    /// Stochastic, with the seed in DNNL_ARG_ATTR_ROUNDING_SEED.
    dnnl_rounding_mode_stochastic = 1,
} dnnl_rounding_mode_t;

/// The origin of the scales of a quantized tensor.
typedef enum {
    dnnl_quantization_mode_undef = 0,       ///< Unspecified.
    dnnl_quantization_mode_static_sazp = 1, ///< The caller gives scales and zero points.
    /// Execution computes them as defined by the OCP MX formats.
    dnnl_quantization_mode_dynamic_mx = 2,
    dnnl_quantization_mode_dynamic_fp = 3, ///< Execution computes them in floating point.
} dnnl_quantization_mode_t;

// -- Execution arguments --------------------------------------------------------------------------

/// An argument of dnnl_primitive_execute(): its DNNL_ARG_ value and its memory.
typedef struct {
    int arg;
    dnnl_memory_t memory;
} dnnl_exec_arg_t;

// Roles of arguments. Several names may have one value; each operation uses the names that describe
// its arguments.
#define DNNL_ARG_UNDEF 0

#define DNNL_ARG_SRC_0 1
#define DNNL_ARG_SRC_1 2
#define DNNL_ARG_SRC_2 3
#define DNNL_ARG_SRC_3 4
#define DNNL_ARG_SRC DNNL_ARG_SRC_0
#define DNNL_ARG_FROM DNNL_ARG_SRC_0
#define DNNL_ARG_SRC_LAYER DNNL_ARG_SRC_0
#define DNNL_ARG_SRC_ITER DNNL_ARG_SRC_1
#define DNNL_ARG_SRC_ITER_C DNNL_ARG_SRC_2
#define DNNL_ARG_AUGRU_ATTENTION DNNL_ARG_SRC_3

#define DNNL_ARG_DST_0 17
#define DNNL_ARG_DST_1 18
#define DNNL_ARG_DST_2 19
#define DNNL_ARG_DST DNNL_ARG_DST_0
#define DNNL_ARG_TO DNNL_ARG_DST_0
#define DNNL_ARG_DST_LAYER DNNL_ARG_DST_0
#define DNNL_ARG_DST_ITER DNNL_ARG_DST_1
#define DNNL_ARG_DST_ITER_C DNNL_ARG_DST_2

#define DNNL_ARG_WEIGHTS_0 33
#define DNNL_ARG_WEIGHTS_1 34
#define DNNL_ARG_WEIGHTS_2 35
#define DNNL_ARG_WEIGHTS_3 36
#define DNNL_ARG_WEIGHTS DNNL_ARG_WEIGHTS_0
#define DNNL_ARG_WEIGHTS_LAYER DNNL_ARG_WEIGHTS_0
#define DNNL_ARG_WEIGHTS_ITER DNNL_ARG_WEIGHTS_1
#define DNNL_ARG_WEIGHTS_PEEPHOLE DNNL_ARG_WEIGHTS_2
#define DNNL_ARG_WEIGHTS_PROJECTION DNNL_ARG_WEIGHTS_3

#define DNNL_ARG_BIAS 41
#define DNNL_ARG_REDUCE 42

// Normalization.
#define DNNL_ARG_MEAN 49
#define DNNL_ARG_VARIANCE 50
#define DNNL_ARG_SCALE 51
#define DNNL_ARG_SHIFT 52

// The workspace that forward leaves for backward, and the scratchpad of an execution.
#define DNNL_ARG_WORKSPACE 64
#define DNNL_ARG_SCRATCHPAD 80

// Gradients: the value of the argument plus 128.
#define DNNL_ARG_DIFF_SRC_0 129
#define DNNL_ARG_DIFF_SRC_1 130
#define DNNL_ARG_DIFF_SRC_2 131
#define DNNL_ARG_DIFF_SRC_3 132
#define DNNL_ARG_DIFF_SRC DNNL_ARG_DIFF_SRC_0
#define DNNL_ARG_DIFF_SRC_LAYER DNNL_ARG_DIFF_SRC_0
#define DNNL_ARG_DIFF_SRC_ITER DNNL_ARG_DIFF_SRC_1
#define DNNL_ARG_DIFF_SRC_ITER_C DNNL_ARG_DIFF_SRC_2
#define DNNL_ARG_DIFF_AUGRU_ATTENTION DNNL_ARG_DIFF_SRC_3

#define DNNL_ARG_DIFF_DST_0 145
#define DNNL_ARG_DIFF_DST_1 146
#define DNNL_ARG_DIFF_DST_2 147
#define DNNL_ARG_DIFF_DST DNNL_ARG_DIFF_DST_0
#define DNNL_ARG_DIFF_DST_LAYER DNNL_ARG_DIFF_DST_0
#define DNNL_ARG_DIFF_DST_ITER DNNL_ARG_DIFF_DST_1
#define DNNL_ARG_DIFF_DST_ITER_C DNNL_ARG_DIFF_DST_2

#define DNNL_ARG_DIFF_WEIGHTS_0 161
#define DNNL_ARG_DIFF_WEIGHTS_1 162
#define DNNL_ARG_DIFF_WEIGHTS_2 163
#define DNNL_ARG_DIFF_WEIGHTS_3 164
#define DNNL_ARG_DIFF_WEIGHTS DNNL_ARG_DIFF_WEIGHTS_0
#define DNNL_ARG_DIFF_WEIGHTS_LAYER DNNL_ARG_DIFF_WEIGHTS_0
#define DNNL_ARG_DIFF_WEIGHTS_ITER DNNL_ARG_DIFF_WEIGHTS_1
#define DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE DNNL_ARG_DIFF_WEIGHTS_2
#define DNNL_ARG_DIFF_WEIGHTS_PROJECTION DNNL_ARG_DIFF_WEIGHTS_3

#define DNNL_ARG_DIFF_BIAS 169

// Exceptions to the rule of 128.
#define DNNL_ARG_DIFF_SCALE 255
#define DNNL_ARG_DIFF_SHIFT 256

// Single arguments of attributes.
#define DNNL_ARG_ATTR_DROPOUT_OFFSET 507
#define DNNL_ARG_ATTR_ROUNDING_SEED 508
#define DNNL_ARG_ATTR_DROPOUT_MASK 509
#define DNNL_ARG_ATTR_DROPOUT_PROBABILITY 510
#define DNNL_ARG_ATTR_DROPOUT_SEED 511
#define DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS 512
#define DNNL_ARG_ATTR_OUTPUT_SCALES 513

// Bases: add the index of the source or destination (concat and sum have many).
#define DNNL_ARG_MULTIPLE_SRC 1024
#define DNNL_ARG_MULTIPLE_DST 2048

// Flags, combined with an argument, as in DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC.
#define DNNL_ARG_ATTR_SCALES 4096
#define DNNL_ARG_ATTR_ZERO_POINTS 8192
#define DNNL_ARG_ATTR_POST_OP_DW 16384

// The post-op at `idx`, combined with its argument, such as DNNL_ARG_SRC_1 of a binary post-op.
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE 32768
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP(idx) (DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE * ((idx) + 1))

// -- Queries --------------------------------------------------------------------------------------

/// Queries of a primitive descriptor or of a memory descriptor. A name ends in the type
/// of the answer: s32 is int, s64 is int64_t, f32 is float, f64 is double, str is const char *, md
/// is a const_dnnl_memory_desc_t that belongs to the queried object. Other types are given in
/// comments.
typedef enum {
    dnnl_query_undef = 0x0, ///< Nothing.

    // Of a primitive descriptor.
    dnnl_query_engine = 0x1,             ///< dnnl_engine_t
    dnnl_query_primitive_kind = 0x2,     ///< dnnl_primitive_kind_t
    dnnl_query_num_of_inputs_s32 = 0x3,  ///< The number of inputs of an execution.
    dnnl_query_num_of_outputs_s32 = 0x4, ///< The number of outputs of an execution.
    dnnl_query_time_estimate_f64 = 0x5,  ///< Seconds. Always dnnl_unimplemented.
    /// Bytes of the scratchpad that the library allocates; 0 if the caller passes it.
    dnnl_query_memory_consumption_s64 = 0x6,
    dnnl_query_scratchpad_engine = 0x7,      ///< dnnl_engine_t
    dnnl_query_impl_info_str = 0x8,          ///< The name of the implementation.
    dnnl_query_reorder_src_engine = 0x9,     ///< dnnl_engine_t
    dnnl_query_reorder_dst_engine = 0xa,     ///< dnnl_engine_t
    dnnl_query_prop_kind = 0xb,              ///< dnnl_prop_kind_t
    dnnl_query_cache_blob_id_size_s64 = 0xc, ///< Bytes of the next answer.
    dnnl_query_cache_blob_id = 0xd,          ///< const uint8_t *

    // Parameters of an operation. Arrays are const dnnl_dims_t *, a value for each spatial
    // dimension; dnnl_query_strides answers for a memory descriptor too.
    dnnl_query_strides = 0xe,
    dnnl_query_dilations = 0xf,
    dnnl_query_padding_l = 0x10,
    dnnl_query_padding_r = 0x11,
    dnnl_query_epsilon_f32 = 0x12,
    dnnl_query_flags = 0x13,    ///< unsigned
    dnnl_query_alg_kind = 0x14, ///< dnnl_alg_kind_t
    dnnl_query_alpha_f32 = 0x15,
    dnnl_query_beta_f32 = 0x16,
    dnnl_query_axis_s32 = 0x17,
    dnnl_query_local_size_s64 = 0x18,
    dnnl_query_k_f32 = 0x19,
    dnnl_query_p_f32 = 0x1a,
    dnnl_query_factors = 0x1b,         ///< const float *
    dnnl_query_cell_kind = 0x1c,       ///< dnnl_alg_kind_t
    dnnl_query_direction = 0x1d,       ///< dnnl_rnn_direction_t
    dnnl_query_activation_kind = 0x1e, ///< dnnl_alg_kind_t
    dnnl_query_kernel = 0x1f,
    dnnl_query_group_size_s64 = 0x20,

    // Memory descriptors of a primitive descriptor; the index selects one of several. The answer is
    // the zero descriptor if the operation has none.
    dnnl_query_some_md = 0x80, ///< Not a query: the first of them.
    dnnl_query_src_md = 0x81,
    dnnl_query_diff_src_md = 0x82,
    dnnl_query_weights_md = 0x83,
    dnnl_query_diff_weights_md = 0x84,
    dnnl_query_dst_md = 0x85,
    dnnl_query_diff_dst_md = 0x86,
    dnnl_query_workspace_md = 0x87,
    dnnl_query_scratchpad_md = 0x88,
    dnnl_query_exec_arg_md = 0xff, ///< The index is a DNNL_ARG_ value.

    // Of a memory descriptor. Arrays are const dnnl_dims_t *.
    dnnl_query_ndims_s32 = 0x100,
    dnnl_query_dims = 0x101,
    dnnl_query_data_type = 0x102,            ///< dnnl_data_type_t
    dnnl_query_submemory_offset_s64 = 0x103, ///< In elements, from the handle to element 0.
    dnnl_query_padded_dims = 0x104,          ///< The dimensions with padding.
    dnnl_query_padded_offsets = 0x105,       ///< The first element inside the padding.
    dnnl_query_format_kind = 0x106,          ///< dnnl_format_kind_t
    dnnl_query_inner_nblks_s32 = 0x107,      ///< The number of inner blocks.
    dnnl_query_inner_blks = 0x108,           ///< Their sizes, outermost first.
    dnnl_query_inner_idxs = 0x109,           ///< The logical axis of each.
    dnnl_query_sparse_encoding = 0x10a,      ///< dnnl_sparse_encoding_t
    dnnl_query_nnz_s64 = 0x10b,              ///< The number of nonzero elements.
    dnnl_query_num_handles_s32 = 0x10c,      ///< The number of buffers of its memory objects.

    dnnl_query_max = 0x7fff, ///< Not a query; makes the enumeration at least 16 bits wide.
} dnnl_query_t;

// -- Generated code: profiling and instruction sets -----------------------------------------------

// Flags of dnnl_set_jit_profiling_flags().
#define DNNL_JIT_PROFILE_NONE 0u                  ///< No profiler.
#define DNNL_JIT_PROFILE_VTUNE 1u                 ///< Register kernels with VTune.
#define DNNL_JIT_PROFILE_LINUX_PERFMAP 2u         ///< Write perf's map file.
#define DNNL_JIT_PROFILE_LINUX_JITDUMP 4u         ///< Write perf's dump file, code included.
#define DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC 8u ///< Stamp the dump with the processor's counter.
#define DNNL_JIT_PROFILE_LINUX_PERF                                                                \
    (DNNL_JIT_PROFILE_LINUX_JITDUMP | DNNL_JIT_PROFILE_LINUX_PERFMAP) ///< Both of perf's files.

/// The instruction sets that generated code may be limited to.
typedef enum {
    dnnl_cpu_isa_default = 0x0,      ///< No limit.
    dnnl_cpu_isa_sse41 = 0x1,        ///< SSE4.1.
    dnnl_cpu_isa_avx = 0x3,          ///< AVX.
    dnnl_cpu_isa_avx2 = 0x7,         ///< AVX2.
    dnnl_cpu_isa_avx2_vnni = 0xf,    ///< AVX2 with 8-bit dot products.
    dnnl_cpu_isa_avx2_vnni_2 = 0x1f, ///< AVX2 with dot products and conversions of bf16 and f16.
    dnnl_cpu_isa_avx512_core = 0x27, ///< AVX-512 F, BW, VL and DQ.
    dnnl_cpu_isa_avx512_core_vnni = 0x67, ///< The same, with 8-bit dot products.
    dnnl_cpu_isa_avx512_core_bf16 = 0xe7, ///< The same, with bf16.
    dnnl_cpu_isa_avx10_1_512 = 0x1ef,     ///< AVX10.1: the same, with f16.
    dnnl_cpu_isa_avx512_core_fp16 = dnnl_cpu_isa_avx10_1_512,
    dnnl_cpu_isa_avx10_1_512_amx = 0xfef, ///< The same, with AMX tiles of 8-bit integers and bf16.
    dnnl_cpu_isa_avx512_core_amx = dnnl_cpu_isa_avx10_1_512_amx,
    dnnl_cpu_isa_avx10_1_512_amx_fp16 = 0x1fef, ///< The same, with AMX tiles of f16.
    dnnl_cpu_isa_avx512_core_amx_fp16 = dnnl_cpu_isa_avx10_1_512_amx_fp16,
    dnnl_cpu_isa_avx10_2 = 0x201ff, ///< AVX10.2.
    dnnl_cpu_isa_avx10_2_512 = dnnl_cpu_isa_avx10_2,
    dnnl_cpu_isa_avx10_2_amx_2 = 0x22fff, ///< AVX10.2 with the newer AMX tiles.
    dnnl_cpu_isa_avx10_2_512_amx_2 = dnnl_cpu_isa_avx10_2_amx_2,
} dnnl_cpu_isa_t;

/// A preference about generated code that does not change results.
typedef enum {
    dnnl_cpu_isa_no_hints = 0,   ///< None.
    dnnl_cpu_isa_prefer_ymm = 1, ///< Prefer 256-bit vectors to 512-bit ones.
} dnnl_cpu_isa_hints_t;

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_TYPES_H
