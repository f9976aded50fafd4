// Posts that are answered without a device, as some providers do.

#ifndef BESIDE_ANSWER_H
#define BESIDE_ANSWER_H

struct ibv_qp;

// beside_posts_answer makes posts of a QP's context do nothing but return value and, if taken is not negative, name the request behind so many as the first that
// was not taken. One context of the process at a time, and none of its posts under way. errno stays what it is.
void beside_posts_answer(struct ibv_qp *qp, int value, int taken);

// beside_posts_genuine undoes that.
void beside_posts_genuine(struct ibv_qp *qp);

// beside_leave_errno is a call that has failed earlier.
void beside_leave_errno(int error);

#endif
