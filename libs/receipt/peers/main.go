// SPDX-License-Identifier: Apache-2.0

// Command peers asks other people's implementations what they make of a log, so that src/peers.spec.ts can compare: golang.org/x/mod/sumdb/tlog,
// the same reading the tiles that Writ cut, and github.com/transparency-dev/merkle for the tree; golang.org/x/mod/sumdb/note and
// github.com/transparency-dev/formats for checkpoints and cosignatures.
//
// It reads JSON requests from standard input and writes one answer for each, in order. What a peer refuses is an answer with an error; what
// can't be understood ends the program. The log is the same everywhere: its i-th leaf is i as a big-endian uint64.
//
// Usage: peers FOLDER, the folder with the tiles that Writ cut, in the layout of https://c2sp.org/tlog-tiles.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"golang.org/x/mod/sumdb/tlog"
)

// leafCount is the length of the log; a tree of it may have any size up to this.
const leafCount = 100_000

func leaf(i int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(i))
}

// tree is one implementation of RFC 6962.
type tree interface {
	root(size int64) ([]byte, error)
	proveInclusion(index, size int64) ([][]byte, error)
	verifyInclusion(r *request) error
	proveConsistency(oldSize, size int64) ([][]byte, error)
	verifyConsistency(r *request) error
}

type request struct {
	Op   string `json:"op"`
	Peer string `json:"peer"`

	Index    int64    `json:"index"`
	OldSize  int64    `json:"oldSize"`
	Size     int64    `json:"size"`
	LeafHash []byte   `json:"leafHash"`
	OldRoot  []byte   `json:"oldRoot"`
	Root     []byte   `json:"root"`
	Hashes   [][]byte `json:"hashes"`

	Level int `json:"level"`
	Width int `json:"width"`

	Origin     string `json:"origin"`
	Note       string `json:"note"`
	LogKey     string `json:"logKey"`
	WitnessKey string `json:"witnessKey"`
}

type answer struct {
	Error  string   `json:"error,omitempty"`
	Root   []byte   `json:"root,omitempty"`
	Hashes [][]byte `json:"hashes,omitempty"`
	Tiles  []tile   `json:"tiles,omitempty"`
	Path   string   `json:"path,omitempty"`

	Size       int64  `json:"size,omitempty"`
	Time       int64  `json:"time,omitempty"`
	Note       string `json:"note,omitempty"`
	LogKey     string `json:"logKey,omitempty"`
	WitnessKey string `json:"witnessKey,omitempty"`
}

type tile struct {
	Path  string `json:"path"`
	Bytes []byte `json:"bytes"`
}

// errRequest is what no peer was asked about.
var errRequest = errors.New("not a request")

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: peers FOLDER")
	}
	stored, err := newTlogTree()
	if err != nil {
		log.Fatalf("the log: %v", err)
	}
	peers := map[string]tree{"tlog": stored, "tlog on tiles": stored.on(os.Args[1]), "merkle": newMerkleTree()}
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), bufio.NewWriter(os.Stdout)
	to := json.NewEncoder(out)
	for {
		var r request
		if err := in.Decode(&r); err == io.EOF {
			break
		} else if err != nil {
			log.Fatalf("a request: %v", err)
		}
		a, err := respond(&r, peers, stored)
		if errors.Is(err, errRequest) {
			log.Fatal(err)
		} else if err != nil {
			a = answer{Error: err.Error()}
		}
		if err := to.Encode(a); err != nil {
			log.Fatalf("an answer: %v", err)
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatalf("the answers: %v", err)
	}
}

func respond(r *request, peers map[string]tree, stored *tlogTree) (a answer, err error) {
	switch r.Op {
	case "tiles":
		a.Tiles, err = stored.tiles(r.OldSize, r.Size)
		return a, err
	case "path":
		a.Path = pathOf(tlog.Tile{H: tileHeight, L: r.Level, N: r.Index, W: r.Width})
		return a, nil
	case "openCheckpoint":
		return openCheckpoint(r)
	case "signCheckpoint":
		return signCheckpoint(r)
	}
	peer := peers[r.Peer]
	if peer == nil {
		return a, fmt.Errorf("%w: %s of %q", errRequest, r.Op, r.Peer)
	}
	switch r.Op {
	case "root":
		a.Root, err = peer.root(r.Size)
	case "proveInclusion":
		a.Hashes, err = peer.proveInclusion(r.Index, r.Size)
	case "verifyInclusion":
		err = peer.verifyInclusion(r)
	case "proveConsistency":
		a.Hashes, err = peer.proveConsistency(r.OldSize, r.Size)
	case "verifyConsistency":
		err = peer.verifyConsistency(r)
	default:
		err = fmt.Errorf("%w: %s", errRequest, r.Op)
	}
	return a, err
}
