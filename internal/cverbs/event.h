// Where an asynchronous event belongs.

#ifndef IBVGO_EVENT_H
#define IBVGO_EVENT_H

struct ibv_async_event;

// ibvgo_event_context returns the context of the object that the event, which may be NULL, is about; NULL for events of a port or
// device, and for kinds of events that came after this was written. The object has to exist, as it does until the event is
// acknowledged. Any thread may call it.
const void *ibvgo_event_context(const struct ibv_async_event *event);

#endif
