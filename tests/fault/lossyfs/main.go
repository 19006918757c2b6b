// SPDX-License-Identifier: Apache-2.0

// Command lossyfs mounts a folder whose unsynced writes are only in this process: after a kill they are lost, as after
// a power cut. Data that was synced (fsync, fdatasync) is in the backing folder. Names and sizes are durable at once,
// as on some real file systems: a database must sync the contents before it answers COMMIT.
//
// Usage: lossyfs BACKING MOUNTPOINT [--lie]; prints "ready" when it is mounted. With --lie it drops synced data too,
// as a disk that acknowledges early. The test must see a loss there, or its result on an honest disk proves nothing.
package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

const pageBytes = 8192

// pages holds the dirty pages of one file, by number.
type pages struct {
	mu    sync.Mutex
	dirty map[int64][]byte
}

// overlay holds the dirty pages of all files, by inode of the backing folder.
type overlay struct {
	mu    sync.Mutex
	files map[uint64]*pages
}

func (o *overlay) of(ino uint64) *pages {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.files[ino]
	if p == nil {
		p = &pages{dirty: map[int64][]byte{}}
		o.files[ino] = p
	}
	return p
}

// forget drops the pages of an earlier file with the same inode number.
func (o *overlay) forget(ino uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.files, ino)
}

// lies makes fsync do nothing.
var lies bool

var unsynced = &overlay{files: map[uint64]*pages{}}

type node struct{ fs.LoopbackNode }

// path of the node below the backing folder.
func (n *node) path() string {
	return n.RootData.Path + "/" + n.Path(n.Root())
}

func (n *node) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return open(n.path(), flags, 0, false)
}

func (n *node) Create(ctx context.Context, name string, flags uint32, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	inode, made, _, errno := n.LoopbackNode.Create(ctx, name, flags, mode, out)
	if errno != 0 {
		return nil, nil, 0, errno
	}
	made.(fs.FileReleaser).Release(ctx)
	handle, fuseFlags, errno := open(n.path()+"/"+name, flags&^(syscall.O_CREAT|syscall.O_EXCL), mode, true)
	return inode, handle, fuseFlags, errno
}

func (n *node) Setattr(ctx context.Context, handle fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if size, ok := in.GetSize(); ok {
		var st syscall.Stat_t
		if err := syscall.Stat(n.path(), &st); err != nil {
			return fs.ToErrno(err)
		}
		unsynced.of(st.Ino).truncate(int64(size))
	}
	// By path, not by handle: the library doesn't know our handle.
	return n.LoopbackNode.Setattr(ctx, nil, in, out)
}

func (n *node) Getattr(ctx context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	return n.LoopbackNode.Getattr(ctx, nil, out)
}

// CopyFileRange isn't offered: the caller falls back to reading and writing, which goes through the overlay.
func (n *node) CopyFileRange(context.Context, fs.FileHandle, uint64, *fs.Inode, fs.FileHandle, uint64, uint64, uint64) (uint32, syscall.Errno) {
	return 0, syscall.ENOTSUP
}

func (p *pages) truncate(size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for number, page := range p.dirty {
		start := number * pageBytes
		if start >= size {
			delete(p.dirty, number)
		} else if start+pageBytes > size {
			clear(page[size-start:])
		}
	}
}

// file is an open handle. Its pages are shared by all handles of the inode.
type file struct {
	fd    int
	pages *pages
}

func open(path string, flags uint32, mode uint32, isNew bool) (fs.FileHandle, uint32, syscall.Errno) {
	// Pages are filled from the backing file, and the overlay knows the offset. So a write needs read access and no
	// append mode.
	how := int(flags)&^(syscall.O_WRONLY|syscall.O_APPEND|syscall.O_DIRECT|syscall.O_ACCMODE) | syscall.O_RDWR
	fd, err := syscall.Open(path, how, mode)
	if err == syscall.EACCES || err == syscall.EROFS {
		fd, err = syscall.Open(path, int(flags), mode)
	}
	if err != nil {
		return nil, 0, fs.ToErrno(err)
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, 0, fs.ToErrno(err)
	}
	if isNew {
		unsynced.forget(st.Ino)
	}
	if flags&syscall.O_TRUNC != 0 {
		unsynced.of(st.Ino).truncate(0)
	}
	return &file{fd: fd, pages: unsynced.of(st.Ino)}, fuse.FOPEN_DIRECT_IO, 0
}

func (f *file) Read(_ context.Context, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	f.pages.mu.Lock()
	defer f.pages.mu.Unlock()
	n, err := syscall.Pread(f.fd, dest, off)
	if err != nil {
		return nil, fs.ToErrno(err)
	}
	for at := 0; at < n; {
		number, within := (off+int64(at))/pageBytes, (off+int64(at))%pageBytes
		length := min(n-at, int(pageBytes-within))
		if page := f.pages.dirty[number]; page != nil {
			copy(dest[at:at+length], page[within:])
		}
		at += length
	}
	return fuse.ReadResultData(dest[:n]), 0
}

func (f *file) Write(_ context.Context, data []byte, off int64) (uint32, syscall.Errno) {
	f.pages.mu.Lock()
	defer f.pages.mu.Unlock()
	if errno := f.extend(off + int64(len(data))); errno != 0 {
		return 0, errno
	}
	for at := 0; at < len(data); {
		number, within := (off+int64(at))/pageBytes, (off+int64(at))%pageBytes
		page := f.pages.dirty[number]
		if page == nil {
			page = make([]byte, pageBytes)
			if _, err := syscall.Pread(f.fd, page, number*pageBytes); err != nil {
				return 0, fs.ToErrno(err)
			}
			f.pages.dirty[number] = page
		}
		at += copy(page[within:], data[at:])
	}
	return uint32(len(data)), 0
}

// extend makes the backing file as long as the write needs; the new part reads as zeroes until it is synced.
func (f *file) extend(size int64) syscall.Errno {
	var st syscall.Stat_t
	if err := syscall.Fstat(f.fd, &st); err != nil {
		return fs.ToErrno(err)
	}
	if st.Size >= size {
		return 0
	}
	return fs.ToErrno(syscall.Ftruncate(f.fd, size))
}

func (f *file) Fsync(context.Context, uint32) syscall.Errno {
	if lies {
		return 0
	}
	f.pages.mu.Lock()
	defer f.pages.mu.Unlock()
	var st syscall.Stat_t
	if err := syscall.Fstat(f.fd, &st); err != nil {
		return fs.ToErrno(err)
	}
	for number, page := range f.pages.dirty {
		if left := st.Size - number*pageBytes; left > 0 {
			if _, err := syscall.Pwrite(f.fd, page[:min(left, pageBytes)], number*pageBytes); err != nil {
				return fs.ToErrno(err)
			}
		}
		delete(f.pages.dirty, number)
	}
	return fs.ToErrno(syscall.Fdatasync(f.fd))
}

func (f *file) Allocate(_ context.Context, off, size uint64, mode uint32) syscall.Errno {
	return fs.ToErrno(syscall.Fallocate(f.fd, mode, int64(off), int64(size)))
}

func (f *file) Flush(context.Context) syscall.Errno { return 0 }

func (f *file) Release(context.Context) syscall.Errno { return fs.ToErrno(syscall.Close(f.fd)) }

func main() {
	lies = len(os.Args) == 4 && os.Args[3] == "--lie"
	if len(os.Args) != 3 && !lies {
		fmt.Fprintln(os.Stderr, "usage: lossyfs BACKING MOUNTPOINT [--lie]")
		os.Exit(2)
	}
	backing, mountpoint := os.Args[1], os.Args[2]
	data := &fs.LoopbackRoot{Path: backing}
	data.NewNode = func(root *fs.LoopbackRoot, _ *fs.Inode, _ string, _ *syscall.Stat_t) fs.InodeEmbedder {
		return &node{fs.LoopbackNode{RootData: root}}
	}
	root := data.NewNode(data, nil, "", nil)
	data.RootNode = root
	server, err := fs.Mount(mountpoint, root, &fs.Options{
		MountOptions: fuse.MountOptions{AllowOther: true, DirectMount: true, FsName: "lossyfs", Name: "lossyfs", Options: []string{"default_permissions"}},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "lossyfs:", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	server.Wait()
}
