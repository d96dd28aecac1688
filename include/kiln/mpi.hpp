// SPDX-License-Identifier: Apache-2.0
// kiln::mpi: the C++ form of mpi.h. Failures throw dnnl::error.
#ifndef KILN_MPI_HPP
#define KILN_MPI_HPP

#include "kiln/mpi.h"
#include "kiln/ranks.hpp"

namespace kiln {

/// A member of a group of processes; it outlives the primitives that use it.
class mpi {
public:
    /// All processes of `comm` call it. `timeout`: seconds that a message may take; 0: any time.
    explicit mpi(MPI_Comm comm, double timeout = 60) {
        dnnl::error::wrap_c_api(
                kiln_mpi_create(&mpi_, comm, timeout), "could not duplicate an MPI communicator");
    }
    ~mpi() { kiln_mpi_destroy(&mpi_); }
    mpi(const mpi &) = delete;
    mpi &operator=(const mpi &) = delete;

    int rank() const { return mpi_.rank; }
    int count() const { return mpi_.count; }
    /// What the messages so far took: their number, seconds, doubles that this rank has sent.
    const kiln_mpi_t &measured() const { return mpi_; }

    /// For set_ranks(). `combined`: bits of kiln_ranks_t.
    kiln::ranks ranks(unsigned combined) { return kiln_mpi_ranks(&mpi_, combined); }

private:
    kiln_mpi_t mpi_;
};

} // namespace kiln

#endif
