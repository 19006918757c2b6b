// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"errors"

	"github.com/transparency-dev/formats/log"
	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
)

// openCheckpoint verifies a checkpoint: signed by its log, cosigned by the witness.
func openCheckpoint(r *request) (answer, error) {
	logKey, err := note.NewVerifier(r.LogKey)
	if err != nil {
		return answer{}, err
	}
	witnessKey, err := formats.NewVerifierForCosignatureV1(r.WitnessKey)
	if err != nil {
		return answer{}, err
	}
	checkpoint, rest, opened, err := log.ParseCheckpoint([]byte(r.Note), r.Origin, logKey, witnessKey)
	if err != nil {
		return answer{}, err
	}
	if len(rest) > 0 {
		return answer{}, errors.New("the checkpoint has extension lines")
	}
	a := answer{Size: int64(checkpoint.Size), Root: checkpoint.Hash}
	for _, signature := range opened.Sigs {
		if signature.Name != witnessKey.Name() || signature.Hash != witnessKey.KeyHash() {
			continue
		}
		time, err := formats.CoSigV1Timestamp(signature)
		if err != nil {
			return answer{}, err
		}
		a.Time = time.Unix()
	}
	if a.Time == 0 {
		return answer{}, errors.New("the witness's cosignature is missing")
	}
	return a, nil
}

// signCheckpoint signs a checkpoint as a log and cosigns it as a witness, each under a new key.
func signCheckpoint(r *request) (answer, error) {
	logSecret, logKey, err := note.GenerateKey(rand.Reader, r.Origin)
	if err != nil {
		return answer{}, err
	}
	logSigner, err := note.NewSigner(logSecret)
	if err != nil {
		return answer{}, err
	}
	witnessSecret, plainKey, err := note.GenerateKey(rand.Reader, "witness.example")
	if err != nil {
		return answer{}, err
	}
	witness, err := formats.NewSignerForCosignatureV1(witnessSecret)
	if err != nil {
		return answer{}, err
	}
	witnessKey, err := formats.VKeyToCosignatureV1(plainKey)
	if err != nil {
		return answer{}, err
	}
	text := log.Checkpoint{Origin: r.Origin, Size: uint64(r.Size), Hash: r.Root}.Marshal()
	signed, err := note.Sign(&note.Note{Text: string(text)}, logSigner, witness)
	return answer{Note: string(signed), LogKey: logKey, WitnessKey: witnessKey}, err
}
