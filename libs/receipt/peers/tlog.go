// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// tileHeight is what C2SP tlog-tiles fixes and leaves out of its paths, where Go's have it.
const tileHeight = 8

// tlogTree is the tree of Go's checksum database.
type tlogTree struct {
	// readerOf gives what a tree of that size is read from.
	readerOf func(size int64) (tlog.HashReader, error)
}

// newTlogTree stores the log in memory.
func newTlogTree() (*tlogTree, error) {
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			hashes[i] = stored[index]
		}
		return hashes, nil
	})
	for i := range int64(leafCount) {
		hashes, err := tlog.StoredHashes(i, leaf(i), reader)
		if err != nil {
			return nil, err
		}
		stored = append(stored, hashes...)
	}
	return &tlogTree{func(int64) (tlog.HashReader, error) { return reader, nil }}, nil
}

// on gives the tree that reads the tiles of a folder and checks each against the root that this tree has.
func (t *tlogTree) on(folder string) *tlogTree {
	return &tlogTree{func(size int64) (tlog.HashReader, error) {
		root, err := t.hash(size)
		return tlog.TileHashReader(tlog.Tree{N: size, Hash: root}, tileFolder(folder)), err
	}}
}

func (t *tlogTree) hash(size int64) (tlog.Hash, error) {
	reader, err := t.readerOf(size)
	if err != nil {
		return tlog.Hash{}, err
	}
	return tlog.TreeHash(size, reader)
}

func (t *tlogTree) root(size int64) ([]byte, error) {
	hash, err := t.hash(size)
	return hash[:], err
}

func (t *tlogTree) proveInclusion(index, size int64) ([][]byte, error) {
	reader, err := t.readerOf(size)
	if err != nil {
		return nil, err
	}
	proof, err := tlog.ProveRecord(size, index, reader)
	return toBytes(proof), err
}

func (t *tlogTree) verifyInclusion(r *request) error {
	hashes, err := toHashes(append([][]byte{r.Root, r.LeafHash}, r.Hashes...))
	if err != nil {
		return err
	}
	return tlog.CheckRecord(hashes[2:], r.Size, hashes[0], r.Index, hashes[1])
}

func (t *tlogTree) proveConsistency(oldSize, size int64) ([][]byte, error) {
	reader, err := t.readerOf(size)
	if err != nil {
		return nil, err
	}
	proof, err := tlog.ProveTree(size, oldSize, reader)
	return toBytes(proof), err
}

func (t *tlogTree) verifyConsistency(r *request) error {
	hashes, err := toHashes(append([][]byte{r.Root, r.OldRoot}, r.Hashes...))
	if err != nil {
		return err
	}
	return tlog.CheckTree(hashes[2:], r.Size, hashes[0], r.OldSize, hashes[1])
}

// tiles cuts the tiles to publish when the log grows.
func (t *tlogTree) tiles(oldSize, size int64) ([]tile, error) {
	reader, err := t.readerOf(size)
	if err != nil {
		return nil, err
	}
	var tiles []tile
	for _, each := range tlog.NewTiles(tileHeight, oldSize, size) {
		data, err := tlog.ReadTileData(each, reader)
		if err != nil {
			return nil, err
		}
		tiles = append(tiles, tile{pathOf(each), data})
	}
	return tiles, nil
}

// pathOf is Go's path of the tile without the height.
func pathOf(t tlog.Tile) string {
	return "tile/" + strings.TrimPrefix(t.Path(), fmt.Sprintf("tile/%d/", tileHeight))
}

// tileFolder reads tiles from files.
type tileFolder string

func (tileFolder) Height() int { return tileHeight }

func (f tileFolder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, each := range tiles {
		var err error
		if data[i], err = os.ReadFile(filepath.Join(string(f), pathOf(each))); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (tileFolder) SaveTiles([]tlog.Tile, [][]byte) {}

func toBytes(hashes []tlog.Hash) [][]byte {
	bytes := make([][]byte, len(hashes))
	for i := range hashes {
		bytes[i] = hashes[i][:]
	}
	return bytes
}

func toHashes(bytes [][]byte) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(bytes))
	for i, each := range bytes {
		if copy(hashes[i][:], each) != len(each) || len(each) != tlog.HashSize {
			return nil, fmt.Errorf("a hash has %d bytes", len(each))
		}
	}
	return hashes, nil
}
