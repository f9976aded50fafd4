// Posts, whose arguments are in memory, as those who call by cgocall have them.

#ifndef IBVGO_POSTED_H
#define IBVGO_POSTED_H

struct ibv_qp;
struct ibv_send_wr;
struct ibv_recv_wr;

// A post of sends. Go has the same struct.
struct ibvgo_send_post {
	struct ibv_qp *qp;
	struct ibv_send_wr *wr;
	struct ibv_send_wr *bad; // a result: the first request that was not taken, or NULL. NULL before the call
};

// A post of receives. Go has the same struct.
struct ibvgo_recv_post {
	struct ibv_qp *qp;
	struct ibv_recv_wr *wr;
	struct ibv_recv_wr *bad;
};

// ibvgo_send is ibv_post_send(). It returns 0 or the errno value.
int ibvgo_send(struct ibvgo_send_post *p);

// ibvgo_receive is ibv_post_recv().
int ibvgo_receive(struct ibvgo_recv_post *p);

#endif
