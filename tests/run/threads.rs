// SPDX-License-Identifier: MIT
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
fn main() {
    let sum = Arc::new(Mutex::new(0u64));
    let (send, receive) = mpsc::channel();
    let start = |me: u64| {
        let (sum, send) = (sum.clone(), send.clone());
        thread::spawn(move || {
            for i in 0..500 {
                *sum.lock().unwrap() += i * me;
                send.send(i).unwrap();
            }
        })
    };
    let threads: Vec<_> = (0..4).map(start).collect();
    drop(send);
    let received: u64 = receive.iter().sum();
    for t in threads {
        t.join().unwrap();
    }
    println!("{} {}", sum.lock().unwrap(), received);
}
