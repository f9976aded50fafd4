// Package soaktest polls completion queues by each way that package verbs has, without pause, while everything that Go's runtime does beside a program
// happens as often as it can: collections, stacks that move, signals, profiles, changes of GOMAXPROCS. Completions are numbered: none may be lost,
// doubled or torn. It lasts two seconds, or as long as IBV_SOAK says; make soak-hot takes ten minutes.
package soaktest
