package verbs

import (
	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// The provider of soft-RoCE does two things otherwise than the manual says, which would cost completions and data. It is known by the file of
// its functions.
func softRoCE(function uintptr) bool { return providerIn(cverbs.FileOf(function)) == "rxe" }

// endsWrong is how to poll so that a batch ends well. Up to rdma-core 54 the ibv_next_poll of soft-RoCE ends the batch when it finds nothing, and
// the ibv_end_poll that is due all the same then takes one completion more than there was.
func endsWrong(q *ibv.CQEx) ibv.CreateCQWCFlags {
	if softRoCE(q.NextPoll) {
		return cverbs.OneByOne
	}
	return 0
}

// countsWrong reports whether lists of elements are sent with a wrong length: the ibv_wr_set_sge_list of soft-RoCE, up to rdma-core 64 at least, takes them
// all for as long as the first. ibv_post_send does not.
func countsWrong(q *ibv.QPEx) bool { return softRoCE(q.WRSetSGEList) }
