package ibv

// rates are the speeds that have a number: as a multiple of 2.5 Gbit/s, which only those have that a static rate could name at
// first or that were added with one (0: none), and in Mbit/s on the wire.
var rates = [...]struct {
	rate       Rate
	mult, mbps int
}{
	{IBV_RATE_2_5_GBPS, 1, 2500}, {IBV_RATE_5_GBPS, 2, 5000}, {IBV_RATE_10_GBPS, 4, 10000}, {IBV_RATE_20_GBPS, 8, 20000},
	{IBV_RATE_30_GBPS, 12, 30000}, {IBV_RATE_40_GBPS, 16, 40000}, {IBV_RATE_60_GBPS, 24, 60000}, {IBV_RATE_80_GBPS, 32, 80000},
	{IBV_RATE_120_GBPS, 48, 120000}, {IBV_RATE_14_GBPS, 0, 14062}, {IBV_RATE_56_GBPS, 0, 56250}, {IBV_RATE_112_GBPS, 0, 112500},
	{IBV_RATE_168_GBPS, 0, 168750}, {IBV_RATE_25_GBPS, 0, 25781}, {IBV_RATE_100_GBPS, 0, 103125}, {IBV_RATE_200_GBPS, 0, 206250},
	{IBV_RATE_300_GBPS, 0, 309375}, {IBV_RATE_28_GBPS, 11, 28125}, {IBV_RATE_50_GBPS, 20, 53125}, {IBV_RATE_400_GBPS, 160, 425000},
	{IBV_RATE_600_GBPS, 240, 637500}, {IBV_RATE_800_GBPS, 320, 850000}, {IBV_RATE_1200_GBPS, 480, 1275000},
}

// Mult returns the rate as a multiple of 2.5 Gbit/s, and whether it has one; ibv_rate_to_mult(3).
func (r Rate) Mult() (mult int, ok bool) {
	for _, x := range rates {
		if x.rate == r && x.mult != 0 {
			return x.mult, true
		}
	}
	return 0, false
}

// Mbps returns the rate in Mbit/s, and whether it is known; ibv_rate_to_mbps(3).
func (r Rate) Mbps() (mbps int, ok bool) {
	for _, x := range rates {
		if x.rate == r {
			return x.mbps, true
		}
	}
	return 0, false
}

// RateOfMult returns the rate that is a multiple of 2.5 Gbit/s, and whether there is one; mult_to_ibv_rate(3).
func RateOfMult(mult int) (Rate, bool) {
	for _, x := range rates {
		if x.mult == mult && mult != 0 {
			return x.rate, true
		}
	}
	return IBV_RATE_MAX, false
}

// RateOfMbps returns the rate of just so many Mbit/s, and whether there is one; mbps_to_ibv_rate(3).
func RateOfMbps(mbps int) (Rate, bool) {
	for _, x := range rates {
		if x.mbps == mbps {
			return x.rate, true
		}
	}
	return IBV_RATE_MAX, false
}
