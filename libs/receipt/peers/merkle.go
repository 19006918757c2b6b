// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/merkle/testonly"
)

// merkleTree is the tree of Trillian and Tessera. What stores it is their tests' own; what plans and verifies proofs is what they ship.
type merkleTree struct {
	stored *testonly.Tree
}

func newMerkleTree() *merkleTree {
	stored := testonly.New(rfc6962.DefaultHasher)
	for i := range int64(leafCount) {
		stored.AppendData(leaf(i))
	}
	return &merkleTree{stored}
}

func (t *merkleTree) root(size int64) ([]byte, error) {
	return t.stored.HashAt(uint64(size)), nil
}

func (t *merkleTree) proveInclusion(index, size int64) ([][]byte, error) {
	return t.stored.InclusionProof(uint64(index), uint64(size))
}

func (t *merkleTree) verifyInclusion(r *request) error {
	return proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(r.Index), uint64(r.Size), r.LeafHash, r.Hashes, r.Root)
}

func (t *merkleTree) proveConsistency(oldSize, size int64) ([][]byte, error) {
	return t.stored.ConsistencyProof(uint64(oldSize), uint64(size))
}

func (t *merkleTree) verifyConsistency(r *request) error {
	return proof.VerifyConsistency(rfc6962.DefaultHasher, uint64(r.OldSize), uint64(r.Size), r.Hashes, r.OldRoot, r.Root)
}
